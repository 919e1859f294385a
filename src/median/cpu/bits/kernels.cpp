#include "median/cpu/bits/run.hpp"

#include <algorithm>
#include <bit>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/bits/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<std::uint64_t>;
using V = hn::Vec<D>;

HWY_INLINE std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(D())); }
HWY_INLINE V majority(V a, V b, V c) { return hn::Or(hn::And(a, b), hn::And(c, hn::Or(a, b))); }

/// Samples from bit `shift` of the word on.
HWY_INLINE V load_at(const std::uint64_t* words, int shift) {
  const V here = hn::LoadU(D(), words);
  if (shift == 0) return here;
  const V next = hn::LoadU(D(), words + 1);
  return hn::Or(hn::ShiftRightSame(here, shift), hn::ShiftLeftSame(next, 64 - shift));
}

/// a += b with a carry.
HWY_INLINE void add_digit(V& a, V b, V& carry) {
  const V sum = hn::Xor(a, b);
  const V next = majority(a, b, carry);
  a = hn::Xor(sum, carry);
  carry = next;
}
HWY_INLINE void subtract_digit(V& a, V b, V& borrow) {
  const V difference = hn::Xor(a, b);
  const V next = hn::Or(hn::AndNot(a, hn::Or(b, borrow)), hn::And(b, borrow));
  a = hn::Xor(difference, borrow);
  borrow = next;
}
/// What is left of a carry or borrow.
HWY_INLINE void add_carry(V& a, V& carry) {
  const V next = hn::And(a, carry);
  a = hn::Xor(a, carry);
  carry = next;
}
HWY_INLINE void subtract_borrow(V& a, V& borrow) {
  const V next = hn::AndNot(a, borrow);
  a = hn::Xor(a, borrow);
  borrow = next;
}

/// Sample i becomes what samples i ... i + k - 1 had, plus what samples i + k ... i + 2k - 1 had.
HWY_INLINE void twice(const Planes& planes, int count, std::int64_t words, std::int64_t k) {
  const int shift = static_cast<int>(k % 64);
  for (std::int64_t i = 0; i < words; i += lanes()) {
    V carry = hn::Zero(D());
    std::uint64_t* plane = planes.words + i;
    for (int p = 0; p < count; ++p, plane += planes.stride) {
      V sum = hn::LoadU(D(), plane);
      add_digit(sum, load_at(plane + k / 64, shift), carry);
      hn::StoreU(sum, D(), plane);
    }
    hn::StoreU(carry, D(), plane);
  }
}
/// Adds sample i + k of `bits`.
HWY_INLINE void one_more(const Planes& planes, int count, const std::uint64_t* bits, std::int64_t words,
                         std::int64_t k) {
  const int shift = static_cast<int>(k % 64);
  for (std::int64_t i = 0; i < words; i += lanes()) {
    V carry = load_at(bits + i + k / 64, shift);
    std::uint64_t* plane = planes.words + i;
    for (int p = 0; p < count; ++p, plane += planes.stride) {
      V sum = hn::LoadU(D(), plane);
      add_carry(sum, carry);
      hn::StoreU(sum, D(), plane);
    }
  }
}

/// The window's length is read from its highest binary digit down: each doubles, and ones add a sample. The plane
/// behind the last keeps the samples.
void sum_row(const Planes& planes, std::int64_t words, std::int64_t length) {
  const int digits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(length)));
  std::uint64_t* const bits = planes.words + digits * planes.stride;
  const auto words_for = [&](std::int64_t done) { return words + (length - done) / 64 + 1; };
  std::copy_n(planes.words, words_for(0) + block_words, bits);
  std::int64_t k = 1;
  for (int digit = digits - 2, count = 1; digit >= 0; --digit, ++count) {
    twice(planes, count, words_for(2 * k), k);
    k *= 2;
    if ((length >> static_cast<unsigned>(digit) & 1) == 0) continue;
    one_more(planes, count + 1, bits, words_for(k + 1), k);
    ++k;
  }
}

void add_rows(const Planes& to, int to_count, const Planes& from, int from_count, std::int64_t words) {
  for (std::int64_t i = 0; i < words; i += lanes()) {
    V carry = hn::Zero(D());
    for (int p = 0; p < to_count; ++p) {
      V sum = hn::LoadU(D(), to.words + p * to.stride + i);
      if (p < from_count) {
        add_digit(sum, hn::LoadU(D(), from.words + p * from.stride + i), carry);
      } else {
        add_carry(sum, carry);
      }
      hn::StoreU(sum, D(), to.words + p * to.stride + i);
    }
  }
}

/// Whether numbers are at least the thresholds of row y: decided by the highest digit where they differ.
HWY_INLINE void compare(const ThresholdTask& task, const V* digits, std::int64_t i, std::int64_t y) {
  const std::uint64_t* thresholds = task.thresholds + y * task.threshold_rows + i;
  V at_least = hn::Not(hn::Zero(D()));
  for (int p = 0; p < task.planes; ++p, thresholds += task.plane_stride) {
    const V threshold = hn::LoadU(D(), thresholds);
    const V differs = hn::Xor(digits[p], threshold);
    at_least = hn::Or(hn::And(differs, digits[p]), hn::AndNot(differs, at_least));
  }
  std::uint64_t* const out = task.out + y * task.out_stride + i;
  if (i + lanes() <= task.words) return hn::StoreU(at_least, D(), out);
  alignas(64) std::uint64_t words[block_words];
  hn::Store(at_least, D(), words);
  std::copy_n(words, task.words - i, out);
}

void slide_rows(const ThresholdTask& task, const std::uint64_t* in, int in_planes, std::int64_t height) {
  const std::int64_t stride = task.plane_stride, row_stride = stride * in_planes;
  const int planes = task.planes;
  for (std::int64_t i = 0; i < task.words; i += lanes()) {
    if (height > 1000) task.step->stop_if_cancelled();  // a block of words takes a while
    V sum[most_planes];
    for (int p = 0; p < planes; ++p) sum[p] = hn::Zero(D());
    const auto change = [&](std::int64_t row, auto digit, auto rest) HWY_ATTR {
      const std::uint64_t* const from = in + row * row_stride + i;
      V carry = hn::Zero(D());
      for (int p = 0; p < in_planes; ++p) digit(sum[p], hn::LoadU(D(), from + p * stride), carry);
      for (int p = in_planes; p < planes; ++p) rest(sum[p], carry);
    };
    const auto add = [](V& a, V b, V& carry) HWY_ATTR { add_digit(a, b, carry); };
    const auto add_rest = [](V& a, V& carry) HWY_ATTR { add_carry(a, carry); };
    const auto subtract = [](V& a, V b, V& borrow) HWY_ATTR { subtract_digit(a, b, borrow); };
    const auto subtract_rest = [](V& a, V& borrow) HWY_ATTR { subtract_borrow(a, borrow); };
    for (std::int64_t row = 0; row < height; ++row) change(row, add, add_rest);
    for (std::int64_t y = 0; y < task.rows; ++y) {
      if (y > 0) {
        change(y - 1, subtract, subtract_rest);
        change(y - 1 + height, add, add_rest);
      }
      compare(task, sum, i, y);
    }
  }
}

/// Eight samples at a time: three digits by adders that take and give back three numbers, and only the eights go
/// through the digits above (Harley and Seal).
void count_row(const ThresholdTask& task, const BitRow* sources, std::int64_t count) {
  constexpr std::int64_t group = 8;
  constexpr int group_digits = 3;
  const int planes = std::max(task.planes, group_digits);
  for (std::int64_t i = 0; i < task.words; i += lanes()) {
    if (count > 1000) task.step->stop_if_cancelled();  // a block of words takes a while
    V sum[most_planes];
    for (int p = 0; p < planes; ++p) sum[p] = hn::Zero(D());
    const auto sample = [&](std::int64_t k) HWY_ATTR { return load_at(sources[k].words + i, sources[k].shift); };
    // to + a + b, whose carry is returned.
    const auto add_two = [](V& to, V a, V b) HWY_ATTR {
      const V carry = majority(to, a, b);
      to = hn::Xor(to, hn::Xor(a, b));
      return carry;
    };
    std::int64_t k = 0;
    for (; k + group <= count; k += group) {
      V twos[4], fours[2];
      for (std::int64_t j = 0; j < 4; ++j) twos[j] = add_two(sum[0], sample(k + 2 * j), sample(k + 2 * j + 1));
      for (std::int64_t j = 0; j < 2; ++j) fours[j] = add_two(sum[1], twos[2 * j], twos[2 * j + 1]);
      V carry = add_two(sum[2], fours[0], fours[1]);
      for (int p = group_digits; p < planes; ++p) add_carry(sum[p], carry);
    }
    for (; k < count; ++k) {
      V carry = sample(k);
      for (int p = 0; p < planes; ++p) add_carry(sum[p], carry);
    }
    compare(task, sum, i, 0);
  }
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {

void sum_along(Simd simd, const Planes& planes, std::int64_t words, std::int64_t length) {
  TAMIS_SIMD(simd, sum_row)(planes, words, length);
}
void add_planes(Simd simd, const Planes& to, int to_count, const Planes& from, int from_count, std::int64_t words) {
  TAMIS_SIMD(simd, add_rows)(to, to_count, from, from_count, words);
}
void slide_down(Simd simd, const ThresholdTask& task, const std::uint64_t* in, int in_planes, std::int64_t height) {
  TAMIS_SIMD(simd, slide_rows)(task, in, in_planes, height);
}
void count_sources(Simd simd, const ThresholdTask& task, const BitRow* sources, std::int64_t count) {
  TAMIS_SIMD(simd, count_row)(task, sources, count);
}

}  // namespace tamis::median_detail::cpu
#endif
