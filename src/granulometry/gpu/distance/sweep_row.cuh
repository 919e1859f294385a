// Distances along x. A word of bits is its own line here, and the sweep is replaced by an addition: what it carries
// through a run of ones is a bit of the position where the run began.
#pragma once

#include "granulometry/gpu/distance/sweep_line.cuh"

namespace tamis::granulometry_detail::gpu::sweep_kernel {

/// Even bits into the lower half, odd ones into the upper.
__device__ __forceinline__ std::uint32_t unzip(std::uint32_t bits) {
  std::uint32_t moved = (bits ^ bits >> 1) & 0x22222222U;
  bits ^= moved ^ moved << 1;
  moved = (bits ^ bits >> 2) & 0x0C0C0C0CU;
  bits ^= moved ^ moved << 2;
  moved = (bits ^ bits >> 4) & 0x00F000F0U;
  bits ^= moved ^ moved << 4;
  moved = (bits ^ bits >> 8) & 0x0000FF00U;
  return bits ^ moved ^ moved << 8;
}

/// Bit `digit` of 2b + 1 for every bit b of a word.
__device__ __forceinline__ std::uint32_t digit_of_odd(int digit) {
  if (digit == 0) return ~0U;
  if (digit == 1) return 0xAAAAAAAAU;
  if (digit == 2) return 0xCCCCCCCCU;
  if (digit == 3) return 0xF0F0F0F0U;
  if (digit == 4) return 0xFF00FF00U;
  return digit == 5 ? 0xFFFF0000U : 0U;
}

/// Distances to the last 0 before each voxel; `before` ones end where the window begins.
///
/// Pairs of an even and an odd voxel: in a pair that is not all ones the last 0 is known. Through a run of full pairs
/// each digit of its position travels as the carry of an addition:
///
///     full      0 0 1 1 1 1 0 1 1 0      (bit 0 on the right)
///     + digit           1                the 0 before the run of four lies at a position with this digit, that before
///     = sum     0 1 0 0 0 0 0 1 1 0      the run of two does not: full & ~sum is the digit in the runs
///
/// The bit below the own ones stands for the window before.
template <int planes>
__device__ __forceinline__ WindowRow<planes> distances_from_before(std::uint32_t even, std::uint32_t odd, int before) {
  constexpr int digits = planes < 6 ? 7 : planes + 1;  // numbers wrap beyond all there can be
  constexpr std::uint32_t virtual_pair = 1U << (halo_bits - 1);
  const std::uint32_t full = even & odd;
  const std::uint32_t starts = ~full & full >> 1;
  const auto place_before = static_cast<std::uint32_t>(2 * halo_bits - 1 - min(before, 1 << planes));
  Planes<digits> far;
  std::uint32_t borrow = 0;
#pragma unroll
  for (int i = 0; i < digits; ++i) {
    std::uint32_t place = i == 0 ? ~odd : digit_of_odd(i);
    const std::uint32_t bit_before =
        i < halo_bits - 1 ? place_before << (halo_bits - 1 - i) : place_before >> (i - (halo_bits - 1));
    place = pick(virtual_pair, bit_before, place);
    const std::uint32_t sum = full + ((place & starts) << 1);
    const std::uint32_t zero = pick(full, ~sum, place);
    far.bit[i] = digit_of_odd(i) ^ zero ^ borrow;
    borrow = below_digit(digit_of_odd(i), zero, borrow);
  }
  Planes<digits> near;  // an even voxel is one further than the odd one before it, or 0
  std::uint32_t carry = ~0U;
#pragma unroll
  for (int i = 0; i < digits; ++i) {
    const std::uint32_t moved = far.bit[i] << 1;
    near.bit[i] = even & (moved ^ carry);
    carry &= moved;
  }
  std::uint32_t much_even = 0;
  std::uint32_t much_odd = 0;
#pragma unroll
  for (int i = planes; i < digits; ++i) {
    much_even |= near.bit[i];
    much_odd |= far.bit[i];
  }
  WindowRow<planes> row;
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    row.even.bit[i] = near.bit[i] | much_even;
    row.odd.bit[i] = (far.bit[i] | much_odd) & own_bits;
  }
  return row;
}

/// A row of bits in words of 32, zeros outside.
struct BitsOfRow {
  const std::uint32_t* words;
  int count;

  __device__ __forceinline__ std::uint32_t word(int i) const { return i >= 0 && i < count ? words[i] : 0; }
};

/// 64 bits from bit `first` on, which may lie outside.
__device__ __forceinline__ uint2 bits_from(const BitsOfRow& row, int first) {
  const int at = first >> 5;
  const std::uint32_t middle = row.word(at + 1);
  return make_uint2(__funnelshift_r(row.word(at), middle, static_cast<unsigned>(first) % 32),
                    __funnelshift_r(middle, row.word(at + 2), static_cast<unsigned>(first) % 32));
}

/// Ones from before bit `first` downwards, or from it upwards; at most about 2^planes. `bits` are the first 64 of them.
template <int planes>
__device__ __forceinline__ int ones_before(const BitsOfRow& row, int first, uint2 bits) {
  for (int ones = 0;; bits = bits_from(row, first - ones - 64)) {
    if (bits.y != ~0U) return ones + __clz(static_cast<int>(~bits.y));
    if (bits.x != ~0U) return ones + 32 + __clz(static_cast<int>(~bits.x));
    ones += 64;
    if (ones >= 1 << planes) return ones;
  }
}
template <int planes>
__device__ __forceinline__ int ones_after(const BitsOfRow& row, int first, uint2 bits) {
  for (int ones = 0;; bits = bits_from(row, first + ones)) {
    if (bits.x != ~0U) return ones + __ffs(static_cast<int>(~bits.x)) - 1;
    if (bits.y != ~0U) return ones + 32 + __ffs(static_cast<int>(~bits.y)) - 1;
    ones += 64;
    if (ones >= 1 << planes) return ones;
  }
}

/// Distances along x of the window that begins at bit `first`.
template <int planes>
__device__ __forceinline__ WindowRow<planes> distances_in_row(const BitsOfRow& row, int first) {
  const uint2 bits = bits_from(row, first);
  const uint2 bits_before = bits_from(row, first - 64);
  const uint2 bits_after = bits_from(row, first + Windows::own_x);
  const std::uint32_t low = unzip(bits.x);
  const std::uint32_t high = unzip(bits.y);
  const std::uint32_t even = __byte_perm(low, high, 0x5410) << halo_bits & own_bits;
  const std::uint32_t odd = __byte_perm(low, high, 0x7632) << halo_bits & own_bits;
  if ((even | odd) == 0) return {};

  WindowRow<planes> result = distances_from_before<planes>(even, odd, ones_before<planes>(row, first, bits_before));
  // Backwards the odd voxel of a pair comes first.
  const WindowRow<planes> back = distances_from_before<planes>(
      __brev(odd), __brev(even), ones_after<planes>(row, first + Windows::own_x, bits_after));
  Planes<planes> even_back;
  Planes<planes> odd_back;
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    even_back.bit[i] = __brev(back.odd.bit[i]);
    odd_back.bit[i] = __brev(back.even.bit[i]);
  }
  result.even = pick(below(even_back, result.even), even_back, result.even);
  result.odd = pick(below(odd_back, result.odd), odd_back, result.odd);
  return result;
}

}  // namespace tamis::granulometry_detail::gpu::sweep_kernel
