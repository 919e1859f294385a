// Roots of small whole numbers.
#pragma once

#include <cstdint>

namespace tamis::granulometry_detail::gpu::balls {

/// The root of a number from 2^-126 on, as the GPU's fast instruction has it: smaller ones would take three more.
__device__ __forceinline__ float fast_root(float value) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
  return root;
}

/// Rounds a number from 1/4 to 2^22 down. It must not be within 2^-22 of a whole number: the sum rounds it to the nearest
/// after a half was taken off.
__device__ __forceinline__ int whole_part(float value) {
  return __float_as_int(value + 8388607.5F) - 0x4b000000;
}

/// The largest whole number whose square is not above a number from 0 to below 2^20. The root of half a number more is
/// at least 0.25 / 1024 away from every whole one, which is more than twice what the fast root errs by there.
__device__ __forceinline__ int root_of(int square) { return whole_part(fast_root(static_cast<float>(square) + 0.5F)); }

/// The largest number of steps of a side whose square is below a number, which is below 2^60; of numbers that are not
/// above 0 whatever it is. `per_side`: 1 / side. The nearest whole number to the fast root, which errs by less than a
/// hundredth of a step up to 32767 of them, is the one or the next.
__device__ __forceinline__ int steps_below(std::int64_t square, int side, float per_side) {
  const int steps = __float2int_rn(fast_root(static_cast<float>(square)) * per_side);
  const int length = steps * side;
  return std::int64_t{length} * length < square ? steps : steps - 1;
}

}  // namespace tamis::granulometry_detail::gpu::balls
