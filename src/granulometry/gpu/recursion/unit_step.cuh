// One unit step of one slice: each voxel above the level becomes the maximum of its neighbours, if that is larger.
#pragma once

#include "granulometry/gpu/bit_planes.cuh"

namespace tamis::granulometry_detail::gpu::recursion_kernel {

/// A step where the neighbours lie along the axes. Slice s is the centre; `pairs` joins, for slice s-1, the neighbour
/// after in x with the neighbour after in z: what one voxel has after it, the voxel diagonally across has before it.
template <int planes>
struct CrossStep {
  WindowRow<planes> centre = {};
  WindowRow<planes> pairs = {};

  __device__ __forceinline__ WindowRow<planes> advance(const WindowRow<planes>& next, int level, bool active,
                                                       bool active_next) {
    WindowRow<planes> out = centre;
    if (active || active_next) {
      WindowRow<planes> now;
      now.even = maximum(centre.odd, next.even);
      now.odd = maximum(shift_down(centre.even), next.odd);
      if (active) {
        Planes<planes> around = maximum(from_lane_before(centre.even), from_lane_after(centre.even));
        around = maximum(around, maximum(now.even, shift_up(pairs.odd)));
        out.even = choose(less(centre.even, around) & beyond(centre.even, level), around, centre.even);
        around = maximum(from_lane_before(centre.odd), from_lane_after(centre.odd));
        around = maximum(around, maximum(now.odd, pairs.even));
        out.odd = choose(less(centre.odd, around) & beyond(centre.odd, level), around, centre.odd);
      }
      pairs = now;
    }
    centre = next;
    return out;
  }
};

/// A step inside a slice; the next slice is not a neighbour.
template <int planes>
struct FlatCrossStep {
  __device__ __forceinline__ WindowRow<planes> advance(const WindowRow<planes>& centre, int level) const {
    WindowRow<planes> out;
    Planes<planes> around = maximum(from_lane_before(centre.even), from_lane_after(centre.even));
    around = maximum(around, maximum(centre.odd, shift_up(centre.odd)));
    out.even = choose(less(centre.even, around) & beyond(centre.even, level), around, centre.even);
    around = maximum(from_lane_before(centre.odd), from_lane_after(centre.odd));
    around = maximum(around, maximum(centre.even, shift_down(centre.even)));
    out.odd = choose(less(centre.odd, around) & beyond(centre.odd, level), around, centre.odd);
    return out;
  }
};

/// Maximum over the 3x3 voxels of a slice.
template <int planes>
__device__ __forceinline__ WindowRow<planes> maximum_in_slice(const WindowRow<planes>& row) {
  const Planes<planes> both = maximum(row.even, row.odd);
  WindowRow<planes> result;
  result.even = maximum(both, shift_up(row.odd));
  result.odd = maximum(both, shift_down(row.even));
  result.even = maximum(result.even, maximum(from_lane_before(result.even), from_lane_after(result.even)));
  result.odd = maximum(result.odd, maximum(from_lane_before(result.odd), from_lane_after(result.odd)));
  return result;
}

template <int planes>
struct FlatBoxStep {
  __device__ __forceinline__ WindowRow<planes> advance(const WindowRow<planes>& centre, int level) const {
    const WindowRow<planes> around = maximum_in_slice(centre);
    WindowRow<planes> out;
    out.even = choose(beyond(centre.even, level), around.even, centre.even);
    out.odd = choose(beyond(centre.odd, level), around.odd, centre.odd);
    return out;
  }
};

/// A step over all 26 neighbours: `flat` is the slice's own maximum, `behind` that of it and the slice before.
template <int planes>
struct BoxStep {
  WindowRow<planes> centre = {};
  WindowRow<planes> flat = {};
  WindowRow<planes> behind = {};

  __device__ __forceinline__ WindowRow<planes> advance(const WindowRow<planes>& next, int level, bool active) {
    const WindowRow<planes> flat_next = maximum_in_slice(next);
    WindowRow<planes> out = centre;
    if (active) {
      out.even = choose(beyond(centre.even, level), maximum(behind.even, flat_next.even), centre.even);
      out.odd = choose(beyond(centre.odd, level), maximum(behind.odd, flat_next.odd), centre.odd);
    }
    behind.even = maximum(flat.even, flat_next.even);
    behind.odd = maximum(flat.odd, flat_next.odd);
    flat = flat_next;
    centre = next;
    return out;
  }
};

}  // namespace tamis::granulometry_detail::gpu::recursion_kernel
