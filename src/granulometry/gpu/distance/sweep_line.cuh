// A line of a thread: the distances of 8 rows or slices, swept back and forth. All numbers are in bit planes, and a
// step of a sweep, "no more than one above the voxel before", costs less than four logic instructions a plane for the
// 28 voxels of a word.
#pragma once

#include "granulometry/gpu/bit_planes.cuh"
#include "granulometry/gpu/windows.hpp"

namespace tamis::granulometry_detail::gpu::sweep_kernel {

constexpr int halo_bits = Windows::halo / 2;  ///< in an even or odd word
constexpr int own_count = Windows::own_x / 2;
constexpr std::uint32_t own_bits = ((1U << own_count) - 1) << halo_bits;
static_assert(Windows::own_x + 2 * Windows::halo == 64 && Windows::halo % 2 == 0 && halo_bits > 0);

constexpr int line = 8;  ///< rows or slices of a thread

template <int planes>
__device__ __forceinline__ Planes<planes> filled(std::uint32_t word) {
  Planes<planes> result;
#pragma unroll
  for (int i = 0; i < planes; ++i) result.bit[i] = word;
  return result;
}

// Plain operators, which the compiler joins into three-input logic as it sees fit: ptxas 13.0 crashes where the
// instruction is written out and inputs turn out to be constants.

/// b where the mask is 1, c where it is 0.
__device__ __forceinline__ std::uint32_t pick(std::uint32_t mask, std::uint32_t b, std::uint32_t c) {
  return (mask & b) | (~mask & c);
}
template <int planes>
__device__ __forceinline__ Planes<planes> pick(std::uint32_t mask, const Planes<planes>& b, const Planes<planes>& c) {
  Planes<planes> result;
#pragma unroll
  for (int i = 0; i < planes; ++i) result.bit[i] = pick(mask, b.bit[i], c.bit[i]);
  return result;
}

/// One digit of the comparison a < b, lowest first: decided here, or as by the digits below.
__device__ __forceinline__ std::uint32_t below_digit(std::uint32_t a, std::uint32_t b, std::uint32_t below) {
  return (~a & b) | (below & (~a | b));
}
template <int planes>
__device__ __forceinline__ std::uint32_t below(const Planes<planes>& a, const Planes<planes>& b) {
  std::uint32_t result = ~a.bit[0] & b.bit[0];
#pragma unroll
  for (int i = 1; i < planes; ++i) result = below_digit(a.bit[i], b.bit[i], result);
  return result;
}
/// Where the numbers exceed `value`.
template <int planes>
__device__ __forceinline__ std::uint32_t above(const Planes<planes>& a, int value) {
  std::uint32_t result = 0;
#pragma unroll
  for (int i = 0; i < planes; ++i) result = below_digit(value >> i & 1 ? ~0U : 0U, a.bit[i], result);
  return result;
}

/// No more than one above the voxel before. The largest number, to which 1 cannot be added, is below none and so never
/// chosen. Returns where it changed something.
template <int planes>
__device__ __forceinline__ std::uint32_t relax(Planes<planes>& distance, const Planes<planes>& before) {
  const std::uint32_t where = below(before, distance);
  std::uint32_t carry = ~0U;
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    distance.bit[i] = pick(where, before.bit[i] ^ carry, distance.bit[i]);
    carry &= before.bit[i];
  }
  return where;
}

/// The minimum with a number that is `steps` further away.
template <int planes>
__device__ __forceinline__ void relax_by(Planes<planes>& distance, const Planes<planes>& before, int steps) {
  Planes<planes> sum;
  std::uint32_t carry = 0;
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    const std::uint32_t digit = steps >> i & 1 ? ~0U : 0U;
    sum.bit[i] = before.bit[i] ^ digit ^ carry;
    carry = (before.bit[i] & digit) | (carry & (before.bit[i] | digit));
  }
  const std::uint32_t where = steps >> planes != 0 ? 0 : below(sum, distance) & ~carry;
  distance = pick(where, sum, distance);
}

/// The distances of a thread's line, as if nothing lay beyond.
template <int planes>
__device__ __forceinline__ void sweep(Planes<planes> (&at)[line]) {
#pragma unroll
  for (int i = 1; i < line; ++i) relax(at[i], at[i - 1]);
#pragma unroll
  for (int i = line - 2; i >= 0; --i) relax(at[i], at[i + 1]);
}

/// A sweep with what lies beyond: upwards from the first number, or downwards from the last. It goes no further than it
/// makes a difference.
template <bool upwards, int planes>
__device__ __forceinline__ void sweep_on(Planes<planes> (&at)[line], const Planes<planes>& beyond) {
  bool goes_on = relax(at[upwards ? 0 : line - 1], beyond) != 0;
#pragma unroll
  for (int i = 1; i < line; ++i) {
    if (!goes_on) continue;
    goes_on = (upwards ? relax(at[i], at[i - 1]) : relax(at[line - 1 - i], at[line - i])) != 0;
  }
}

}  // namespace tamis::granulometry_detail::gpu::sweep_kernel
