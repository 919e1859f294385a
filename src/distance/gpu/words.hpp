// Rows of bits, word by word, with the nearest background outside of each word: all that distances along x need.
#pragma once

#include <cstdint>

#include "distance/gpu/squares.hpp"

namespace tamis::distance_detail::gpu {

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

}  // namespace tamis::distance_detail::gpu
