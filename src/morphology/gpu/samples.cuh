// Words of 32 bits that hold samples: one of 4 bytes, two of 2, four of 1, or 32 bits (bool).
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/gpu/border.cuh"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::gpu {

/// In 64 bits: axes may be as long as memory is.
__device__ __forceinline__ std::int64_t seen_at(std::int64_t i, std::int64_t n, Border::Kind border) {
  return cuda::seen_at(i, n, border);
}

/// Sample by sample the smaller (larger) of two words. GPUs compare pairs of 16 bits in one instruction, and not bytes:
/// as 16 bits the upper byte decides, so the odd bytes come out right as they are, the even ones moved up.
template <class T, Order order>
__device__ __forceinline__ std::uint32_t extremum_of_words(std::uint32_t a, std::uint32_t b) {
  constexpr bool min = order == Order::Min;
  if constexpr (std::is_same_v<T, bool>) {
    return min ? a & b : a | b;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    const std::uint32_t odd = min ? __vminu2(a, b) : __vmaxu2(a, b);
    const std::uint32_t even = min ? __vminu2(a * 256U, b * 256U) : __vmaxu2(a * 256U, b * 256U);
    return __byte_perm(even, odd, 0x7351);
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    return min ? __vminu2(a, b) : __vmaxu2(a, b);
  } else if constexpr (std::is_same_v<T, std::int16_t>) {
    return min ? __vmins2(a, b) : __vmaxs2(a, b);
  } else {
    const float x = __uint_as_float(a);
    const float y = __uint_as_float(b);
    return __float_as_uint(min ? fminf(x, y) : fmaxf(x, y));
  }
}

/// Of three words; one instruction where the GPU has it.
template <class T, Order order>
__device__ __forceinline__ std::uint32_t extremum_of_words(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  constexpr bool min = order == Order::Min;
  if constexpr (std::is_same_v<T, std::uint16_t>) {
    return min ? __vimin3_u16x2(a, b, c) : __vimax3_u16x2(a, b, c);
  } else if constexpr (std::is_same_v<T, std::int16_t>) {
    return min ? __vimin3_s16x2(a, b, c) : __vimax3_s16x2(a, b, c);
  } else {
    return extremum_of_words<T, order>(extremum_of_words<T, order>(a, b), c);
  }
}

/// What an erosion (dilation) leaves out.
template <class T, Order order>
__device__ __forceinline__ T neutral() {
  constexpr bool min = order == Order::Min;
  if constexpr (std::is_same_v<T, float>) {
    return __uint_as_float(min ? 0x7F800000U : 0xFF800000U);
  } else if constexpr (std::is_same_v<T, std::int16_t>) {
    return min ? 32767 : -32768;
  } else {
    return min ? static_cast<T>(~T{0}) : T{0};
  }
}

/// The words of a row in which every sample is `value`.
template <class T>
__device__ __forceinline__ std::uint32_t filled(T value) {
  std::uint32_t word = 0;
  memcpy(&word, &value, sizeof(T));
  if (sizeof(T) == 1) word *= 0x01010101U;
  if (sizeof(T) == 2) word *= 0x00010001U;
  return word;
}

}  // namespace tamis::morphology_detail::gpu
