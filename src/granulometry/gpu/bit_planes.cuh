// Numbers in bit planes: word i of a Planes holds bit i of 32 numbers. A maximum costs two three-input logic
// instructions a plane for all 32.
#pragma once

#include <cstdint>

namespace tamis::granulometry_detail::gpu {

template <unsigned table>
__device__ __forceinline__ std::uint32_t logic(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(table));
  return result;
}

/// c where the mask is 0, b where it is 1.
__device__ __forceinline__ std::uint32_t choose(std::uint32_t mask, std::uint32_t b, std::uint32_t c) {
  return logic<0xCA>(mask, b, c);
}

template <int planes>
struct Planes {
  std::uint32_t bit[planes];
};

/// One digit of the comparison a < b, lowest first: decided here, or as it was below.
__device__ __forceinline__ std::uint32_t less_digit(std::uint32_t a, std::uint32_t b, std::uint32_t below) {
  return logic<0x8E>(a, b, below);
}

template <int planes>
__device__ __forceinline__ std::uint32_t less(const Planes<planes>& a, const Planes<planes>& b) {
  std::uint32_t result = ~a.bit[0] & b.bit[0];
#pragma unroll
  for (int i = 1; i < planes; ++i) result = less_digit(a.bit[i], b.bit[i], result);
  return result;
}

/// Where the numbers exceed `value`.
template <int planes>
__device__ __forceinline__ std::uint32_t beyond(const Planes<planes>& a, int value) {
  std::uint32_t result = 0;
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    const std::uint32_t digit = (value >> i) & 1 ? ~0U : 0U;
    result = less_digit(digit, a.bit[i], result);
  }
  return result;
}

template <int planes>
__device__ __forceinline__ Planes<planes> choose(std::uint32_t mask, const Planes<planes>& b, const Planes<planes>& c) {
  Planes<planes> result;
#pragma unroll
  for (int i = 0; i < planes; ++i) result.bit[i] = choose(mask, b.bit[i], c.bit[i]);
  return result;
}

template <int planes>
__device__ __forceinline__ Planes<planes> maximum(const Planes<planes>& a, const Planes<planes>& b) {
  return choose(less(a, b), b, a);
}

template <int planes>
__device__ __forceinline__ Planes<planes> shift_up(const Planes<planes>& a) {
  Planes<planes> result;
#pragma unroll
  for (int i = 0; i < planes; ++i) result.bit[i] = a.bit[i] << 1;
  return result;
}

template <int planes>
__device__ __forceinline__ Planes<planes> shift_down(const Planes<planes>& a) {
  Planes<planes> result;
#pragma unroll
  for (int i = 0; i < planes; ++i) result.bit[i] = a.bit[i] >> 1;
  return result;
}

/// The numbers of the lane `delta` above or below.
template <int planes>
__device__ __forceinline__ Planes<planes> from_lane_before(const Planes<planes>& a) {
  Planes<planes> result;
#pragma unroll
  for (int i = 0; i < planes; ++i) result.bit[i] = __shfl_up_sync(~0U, a.bit[i], 1);
  return result;
}

template <int planes>
__device__ __forceinline__ Planes<planes> from_lane_after(const Planes<planes>& a) {
  Planes<planes> result;
#pragma unroll
  for (int i = 0; i < planes; ++i) result.bit[i] = __shfl_down_sync(~0U, a.bit[i], 1);
  return result;
}

/// One row of a window: voxel 2b is bit b of `even`, voxel 2b + 1 of `odd`.
template <int planes>
struct WindowRow {
  Planes<planes> even, odd;
};

}  // namespace tamis::granulometry_detail::gpu
