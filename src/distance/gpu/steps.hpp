// The passes that squares are made in. Queued; nothing waits.
#pragma once

#include <cstdint>

#include "distance/gpu/squares.hpp"

namespace tamis::distance_detail::gpu {

// Rows of bits, word by word, with the nearest background outside of each word: all that distances along x need.

/// 32 voxels of a row. What lies behind a row's end is as its border has it.
struct alignas(8) Word {
  std::uint32_t bits;    ///< 0: background
  std::uint16_t before;  ///< steps from the first voxel to the nearest background before the word
  std::uint16_t behind;  ///< from the last voxel to the nearest behind it
};

/// Steps from here on are as good as none: their squares do not fit the lanes.
inline constexpr int narrow_steps = 181;
inline constexpr int wide_steps = 46340;
/// The largest number of steps that a word can say, which stands for all that are not fewer.
inline constexpr int most_steps = 65535;

/// Queues the words of all rows. Numbers of steps above `most` may be any above it.
void find_words(const cuda::Stream& stream, const Task& task, int most, Word* words);

#ifdef __CUDACC__

/// Steps to the nearest background of eight voxels of a word, from a bit on that is a multiple of eight.
__device__ __forceinline__ void steps_of(const Word& word, int bit, int (&steps)[8]) {
  const std::uint32_t left = ~word.bits & (~0U >> (31 - bit));
  const std::uint32_t right = ~word.bits >> (bit + 7);
  int down = left ? bit - 31 + __clz(left) : bit + word.before;
  int up = right ? __ffs(right) - 1 : 24 - bit + word.behind;
  const std::uint32_t here = word.bits >> bit;
  steps[0] = down;
#pragma unroll
  for (int k = 1; k < 8; ++k) {
    down = (here >> k & 1) ? down + 1 : 0;
    steps[k] = down;
  }
  steps[7] = min(steps[7], up);
#pragma unroll
  for (int k = 6; k >= 0; --k) {
    up = (here >> k & 1) ? up + 1 : 0;
    steps[k] = min(steps[k], up);
  }
}

#endif

/// Squares of 16 bits are exact below this, which leaves room for the sum of two of them.
inline constexpr std::int64_t narrow_reach = 168;
/// What 16 bits hold where no background has been found, about the most.
inline constexpr std::uint16_t narrow_unreached = narrow_steps * narrow_steps;
/// Lengths whose squares wider lanes hold: what is above, or not found, is `unreached`.
template <class Lane>
inline constexpr std::uint32_t longest = sizeof(Lane) == 4 ? wide_steps : std::uint32_t{1} << 31;

enum class Along : std::uint8_t { Y, Z };

/// Lowers along an axis: along y from words, which give the squares along x, along z in place. `largest`, if any, grows to
/// the largest result.
void lower_narrow(const cuda::Stream& stream, const Plan& plan, Along along, const Word* words,
                  const SquareRows<std::uint16_t>& rows, unsigned* largest);

/// Squares along x, of 32 or 64 bits.
template <class Lane>
void expand_wide(const cuda::Stream& stream, const Plan& plan, const Word* words, const SquareRows<Lane>& to);
/// Lowers along an axis in place, as many lines of columns at a time as there is room for, at least one.
template <class Lane>
void lower_wide(const cuda::Stream& stream, const Plan& plan, Along along, const SquareRows<Lane>& rows,
                const cuda::DeviceBuffer<Lane>& room);

/// What the squares come to.
struct Found {
  unsigned long long largest = 0;  ///< of those that are reached
  unsigned unreached = 0;          ///< 1 if there is a square that is not
};

/// Sets what is not object to 0, and adds up the rest.
template <class Lane>
void clear_outside(const cuda::Stream& stream, const BitRows& object, const SquareRows<Lane>& rows, Found* found);

/// From wide squares to what a caller gets: unreached ones become the largest value of the type.
template <class Wide, class Lane>
void finish(const cuda::Stream& stream, const SquareRows<Wide>& from, Lane* to);

}  // namespace tamis::distance_detail::gpu
