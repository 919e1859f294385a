// Words of samples as the GPU compares them.
//
// Erosions come first always: closings are openings of the image turned upside down, which happens as words come in and
// go out (`flip`). So 16-bit samples are unsigned here, and floats those whose sign may be turned.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tamis::line_detail::gpu {

/// GPUs compare pairs of 16 bits and not bytes. Bytes lie in two words of 16-bit numbers whose upper byte decides:
/// those of even index moved up, those of odd index where they are. Every other sample compares as it lies in its word.
template <class T>
struct Cell {
  static constexpr int parts = sizeof(T) == 1 ? 2 : 1;
  std::uint32_t part[parts];
};

/// Samples of a word.
template <class T>
constexpr int word_samples = static_cast<int>(4 / sizeof(T));

template <class T>
__device__ __forceinline__ Cell<T> cell_of(std::uint32_t word) {
  if constexpr (sizeof(T) == 1) {
    return {{word * 256U, word}};
  } else {
    return {{word}};
  }
}
template <class T>
__device__ __forceinline__ std::uint32_t word_of(const Cell<T>& cell) {
  if constexpr (sizeof(T) == 1) {
    return __byte_perm(cell.part[0], cell.part[1], 0x7351);
  } else {
    return cell.part[0];
  }
}

template <class T, bool min>
__device__ __forceinline__ std::uint32_t extremum(std::uint32_t a, std::uint32_t b) {
  if constexpr (std::is_same_v<T, float>) {
    const float x = __uint_as_float(a);
    const float y = __uint_as_float(b);
    return __float_as_uint(min ? fminf(x, y) : fmaxf(x, y));
  } else {
    return min ? __vminu2(a, b) : __vmaxu2(a, b);
  }
}
/// One instruction where the GPU has it.
template <class T, bool min>
__device__ __forceinline__ std::uint32_t extremum(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  if constexpr (std::is_same_v<T, float>) {
    return extremum<T, min>(extremum<T, min>(a, b), c);
  } else {
    return min ? __vimin3_u16x2(a, b, c) : __vimax3_u16x2(a, b, c);
  }
}
template <class T, bool min>
__device__ __forceinline__ Cell<T> extremum(const Cell<T>& a, const Cell<T>& b) {
  Cell<T> result;
#pragma unroll
  for (int i = 0; i < Cell<T>::parts; ++i) result.part[i] = extremum<T, min>(a.part[i], b.part[i]);
  return result;
}

template <class T, bool min>
__device__ __forceinline__ Cell<T> extremum(const Cell<T>& a, const Cell<T>& b, const Cell<T>& c) {
  Cell<T> result;
#pragma unroll
  for (int i = 0; i < Cell<T>::parts; ++i) result.part[i] = extremum<T, min>(a.part[i], b.part[i], c.part[i]);
  return result;
}

/// A sample as a count (SweepScale). Infinities, where no segment fits, count as the ends of the range.
__device__ __forceinline__ unsigned long long count_of_float(float value, double base, double step) {
  constexpr double most = 2147483648.0;
  return static_cast<unsigned long long>(
      __double2ll_rn(fmin(fmax((static_cast<double>(value) - base) / step, 0.0), most)));
}

/// Bits of the samples first ... last-1 of a word; any numbers.
template <class T>
__device__ __forceinline__ std::uint32_t sample_bits(int first, int last) {
  constexpr int bits = 8 * static_cast<int>(sizeof(T));
  const int from = max(min(first * bits, 32), 0);
  const int to = max(min(last * bits, 32), 0);
  // The upper half of a word moved left: shifts by 32 leave nothing.
  const auto below = [](int n) { return __funnelshift_lc(~0U, 0U, static_cast<unsigned>(n)); };
  return below(to) & ~below(from);
}

}  // namespace tamis::line_detail::gpu
