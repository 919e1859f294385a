// The four erosions of a pass on bits: one row a lane, one slice after the other, survival counted in two bit planes.
#pragma once

#include <cstdint>

#include "core/gpu/warp.cuh"
#include "granulometry/gpu/distance/erosions.hpp"

namespace tamis::granulometry_detail::gpu::erosion_kernel {

using cuda::whole_warp;

constexpr int steps = 4;

/// One row of a window.
struct Slice {
  std::uint32_t even, odd;
};

__device__ __forceinline__ Slice operator&(const Slice& a, const Slice& b) { return {a.even & b.even, a.odd & b.odd}; }
__device__ __forceinline__ Slice operator|(const Slice& a, const Slice& b) { return {a.even | b.even, a.odd | b.odd}; }
__device__ __forceinline__ Slice operator^(const Slice& a, const Slice& b) { return {a.even ^ b.even, a.odd ^ b.odd}; }
__device__ __forceinline__ Slice operator~(const Slice& a) { return {~a.even, ~a.odd}; }
__device__ __forceinline__ Slice filled(std::uint32_t word) { return {word, word}; }

/// A voxel and its two neighbours along x.
__device__ __forceinline__ Slice along_x(const Slice& a) {
  return {a.even & a.odd & a.odd << 1, a.even & a.odd & a.even >> 1};
}
/// The two neighbours along y.
__device__ __forceinline__ Slice beside_y(const Slice& a) {
  return {__shfl_up_sync(whole_warp, a.even, 1) & __shfl_down_sync(whole_warp, a.even, 1),
          __shfl_up_sync(whole_warp, a.odd, 1) & __shfl_down_sync(whole_warp, a.odd, 1)};
}
__device__ __forceinline__ Slice erode_cross(const Slice& a) { return along_x(a) & beside_y(a); }
__device__ __forceinline__ Slice erode_box(const Slice& a) {
  const Slice x = along_x(a);
  return x & beside_y(x);
}

/// The erosions of a pass, in flight.
template <Neighbours neighbours>
struct Erosions {
  Slice centre[steps] = {};
  Slice behind[steps] = {};  ///< cross: the slice before; box: the slice before, eroded in itself
  Slice flat[steps] = {};    ///< box: the centre, eroded in itself
  Slice ones[steps] = {};    ///< counts of the slice that leaves this step next
  Slice twos[steps] = {};

  /// `next` enters; what leaves is `steps` slices behind (no slice behind in the flat forms).
  __device__ __forceinline__ Slice advance(Slice next, const Slice* outside, Slice& ones_out, Slice& twos_out) {
    Slice ones_next = filled(0);
    Slice twos_next = filled(0);
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      Slice out = filled(0);
      if constexpr (neighbours == Neighbours::Cross3) {
        out = erode_cross(centre[i]) & behind[i] & next;
        behind[i] = centre[i];
        centre[i] = next;
      } else if constexpr (neighbours == Neighbours::Box3) {
        const Slice flat_next = erode_box(next);
        out = flat[i] & behind[i] & flat_next;
        behind[i] = flat[i];
        flat[i] = flat_next;
      } else {
        out = neighbours == Neighbours::Cross2 ? erode_cross(next) : erode_box(next);
      }
      Slice counted = out;
      if (outside) {  // what lies outside the domain stays, and does not count
        const Slice& mask = outside[is_volumetric(neighbours) ? i : 0];
        counted = out & ~mask;
        out = out | mask;
      }
      // Survivors are nested, so the sum of four bits is two exclusive ors.
      Slice ones_now = is_volumetric(neighbours) ? ones[i] : ones_next;
      Slice twos_now = is_volumetric(neighbours) ? twos[i] : twos_next;
      if (is_volumetric(neighbours)) {
        ones[i] = ones_next;
        twos[i] = twos_next;
      }
      ones_next = ones_now ^ counted;
      twos_next = i % 2 == 1 ? twos_now ^ counted : twos_now;
      next = out;
    }
    ones_out = ones_next;
    twos_out = twos_next;
    return next;
  }
};

}  // namespace tamis::granulometry_detail::gpu::erosion_kernel
