// How an element-wise pass goes through arrays of any strides: which axis is fastest, which axes are one.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tamis/image.hpp>

namespace tamis::cuda {

/// Bytes from a sample to the next one along each axis.
struct Strides {
  std::int64_t z = 0, y = 0, x = 0;
};

template <class Array>
[[nodiscard]] Strides strides_of(const Array& array) {
  return {array.stride_z, array.stride_y, array.stride_x};
}

/// Axes of a pass, the fastest first. Those that are not needed have extent 1.
template <int arrays>
struct StridedWalk {
  std::int64_t extent[3] = {1, 1, 1};
  std::int64_t stride[arrays][3] = {};
  std::int64_t start[arrays] = {};  ///< bytes from sample (0, 0, 0) to where the pass starts
};

/// The first array leads: memory is walked in the order in which its samples lie. O(1).
template <int arrays>
[[nodiscard]] StridedWalk<arrays> plan_walk(const Shape& shape, const Strides (&strides)[arrays]) {
  const std::int64_t extents[3] = {shape.x, shape.y, shape.z};
  StridedWalk<arrays> walk;
  int axes[3];
  int count = 0;
  std::int64_t steps[arrays][3];
  for (int a = 0; a < arrays; ++a) {
    steps[a][0] = strides[a].x;
    steps[a][1] = strides[a].y;
    steps[a][2] = strides[a].z;
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (extents[axis] == 1) continue;
    axes[count++] = axis;
    if (steps[0][axis] >= 0) continue;
    for (int a = 0; a < arrays; ++a) {  // from the other end
      walk.start[a] += (extents[axis] - 1) * steps[a][axis];
      steps[a][axis] = -steps[a][axis];
    }
  }
  std::stable_sort(axes, axes + count, [&](int a, int b) { return steps[0][a] < steps[0][b]; });
  int last = -1;
  for (int i = 0; i < count; ++i) {
    const int axis = axes[i];
    bool joins = last >= 0;
    for (int a = 0; a < arrays && joins; ++a) {
      joins = steps[a][axis] == walk.stride[a][last] * walk.extent[last];
    }
    if (joins) {
      walk.extent[last] *= extents[axis];
      continue;
    }
    walk.extent[++last] = extents[axis];
    for (int a = 0; a < arrays; ++a) walk.stride[a][last] = steps[a][axis];
  }
  return walk;
}

/// Whether the pass can take `together` samples of the fastest axis at once: they are neighbours in all arrays, and
/// aligned. `addresses` are those of sample (0, 0, 0).
template <int arrays>
[[nodiscard]] bool can_take_together(const StridedWalk<arrays>& walk, const std::int64_t (&samples)[arrays],
                                     const void* const (&addresses)[arrays], std::int64_t together) {
  for (int a = 0; a < arrays; ++a) {
    const std::int64_t unit = together * samples[a];
    if (walk.stride[a][0] != samples[a]) return false;
    if ((static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(addresses[a])) + walk.start[a]) % unit != 0) {
      return false;
    }
    for (int axis = 1; axis < 3; ++axis) {
      if (walk.extent[axis] > 1 && walk.stride[a][axis] % unit != 0) return false;
    }
  }
  return true;
}

}  // namespace tamis::cuda
