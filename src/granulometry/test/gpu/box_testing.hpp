// Small volumes in which large sizes are few, and their sizes by the definition: boxes are tried on them without a GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <vector>

#include "granulometry/gpu/large/boxes.hpp"

namespace tamis::granulometry_detail::gpu::box_testing {

/// Numbers of voxels, 0 outside.
struct Volume {
  std::int64_t nz, ny, nx;
  std::vector<int> number;
  bool open_below = false, open_above = false;  ///< what lies before the first slice or after the last is no background

  Volume(std::int64_t z, std::int64_t y, std::int64_t x)
      : nz(z), ny(y), nx(x), number(static_cast<std::size_t>(z * y * x)) {}
  [[nodiscard]] bool has(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return z >= 0 && z < nz && y >= 0 && y < ny && x >= 0 && x < nx;
  }
  [[nodiscard]] int& at(std::int64_t z, std::int64_t y, std::int64_t x) {
    return number[static_cast<std::size_t>((z * ny + y) * nx + x)];
  }
  [[nodiscard]] int of(std::int64_t z, std::int64_t y, std::int64_t x) const {
    if ((z < 0 && open_below) || (z >= nz && open_above)) return std::numeric_limits<int>::max();
    return has(z, y, x) ? number[static_cast<std::size_t>((z * ny + y) * nx + x)] : 0;
  }
  template <class Choose>
  [[nodiscard]] int of_neighbours(std::int64_t z, std::int64_t y, std::int64_t x, Choose choose) const {
    return choose(
        {of(z - 1, y, x), of(z + 1, y, x), of(z, y - 1, x), of(z, y + 1, x), of(z, y, x - 1), of(z, y, x + 1)});
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t z = 0; z < nz; ++z)
      for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x) visit(z, y, x);
  }
};

/// Erodes until nothing is left, and counts; no further than to `cap`, if there is one.
inline Volume distances(const Volume& object, int cap) {
  Volume now = object;
  for (int level = 1; cap == 0 || level < cap; ++level) {
    Volume next = now;
    bool any = false;
    now.for_each([&](auto z, auto y, auto x) {
      const auto least = [](std::initializer_list<int> of) { return std::min(of); };
      if (now.of(z, y, x) < level || now.of_neighbours(z, y, x, least) < level) return;
      next.at(z, y, x) = level + 1;
      any = true;
    });
    if (!any) break;
    now = next;
  }
  return now;
}

/// By the definition: each octahedron raises what it covers.
inline Volume sizes(const Volume& distance) {
  Volume size(distance.nz, distance.ny, distance.nx);
  distance.for_each([&](auto z, auto y, auto x) {
    const std::int64_t radius = distance.of(z, y, x) - 1;
    for (std::int64_t dz = -radius; dz <= radius; ++dz)
      for (std::int64_t dy = -radius + std::abs(dz); dy <= radius - std::abs(dz); ++dy) {
        const std::int64_t rest = radius - std::abs(dz) - std::abs(dy);
        for (std::int64_t dx = -rest; dx <= rest; ++dx) {
          if (!size.has(z + dz, y + dy, x + dx)) continue;  // beyond an open side
          int& own = size.at(z + dz, y + dy, x + dx);
          own = std::max(own, distance.of(z, y, x));
        }
      }
  });
  return size;
}

inline std::vector<TopRun> runs_of(const Windows& w, const Volume& distance, int top) {
  std::vector<TopRun> runs;
  for (int column = 0; column < w.columns; ++column)
    for (int group = 0; group < w.peak_groups(); ++group)
      for (int z = 0; z < w.nz; ++z) {
        bool has = false;
        for (std::int64_t y = 0; y < Windows::peak_rows; ++y)
          for (std::int64_t x = 0; x < Windows::own_x; ++x)
            has |= distance.of(z, group * Windows::peak_rows + y, column * Windows::own_x + x) >= top;
        if (!has) continue;
        const bool goes_on =
            !runs.empty() && runs.back().column == column && runs.back().group == group && runs.back().end == z;
        if (goes_on)
          ++runs.back().end;
        else
          runs.push_back({column, group, z, z + 1});
      }
  return runs;
}

inline Volume cut_out(const Volume& object, const Box& box) {
  Volume part(box.length(0), box.length(1), box.length(2));
  part.for_each([&](auto z, auto y, auto x) {
    part.at(z, y, x) = object.of(box.begin[0] + z, box.begin[1] + y, box.begin[2] + x);
  });
  return part;
}

/// A stack as the GPU cuts it out.
inline Volume stacked(const Volume& object, const BoxStack& stack) {
  const Windows shape = stack.shape();
  Volume volume(shape.nz, shape.ny, shape.nx);
  std::int64_t first = 0;
  for (const Box& box : stack.boxes) {
    const Volume part = cut_out(object, box);
    part.for_each([&](auto z, auto y, auto x) { volume.at(first + z, y, x) = part.of(z, y, x); });
    first += part.nz + 1;
  }
  return volume;
}

/// Voxels of each size from `least` on in these slices.
inline std::vector<int> counts_from(const Volume& size, int least, const CountedSlices& slices) {
  std::vector<int> counts;
  size.for_each([&](auto z, auto y, auto x) {
    const int n = size.of(z, y, x);
    if (n < least || z < slices.begin || z >= slices.end) return;
    counts.resize(std::max(counts.size(), static_cast<std::size_t>(n) + 1));
    ++counts[static_cast<std::size_t>(n)];
  });
  return counts;
}

inline void add(std::vector<int>& sum, const std::vector<int>& part) {
  sum.resize(std::max(sum.size(), part.size()));
  for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
}

inline int largest_of(const Volume& volume) {
  return volume.number.empty() ? 0 : *std::max_element(volume.number.begin(), volume.number.end());
}

inline void add_octahedron(Volume& volume, std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t radius) {
  volume.for_each([&](auto vz, auto vy, auto vx) {
    if (std::abs(vz - z) + std::abs(vy - y) + std::abs(vx - x) <= radius) volume.at(vz, vy, vx) = 1;
  });
}

}  // namespace tamis::granulometry_detail::gpu::box_testing
