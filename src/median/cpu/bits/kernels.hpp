// Counting set bits in windows, 64 samples a word: numbers are kept bit by bit, in planes. Bit i of the words of plane
// p is bit p of the number of sample i.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "median/plan/steps.hpp"

namespace tamis::median_detail::cpu {

/// Planes are worked on in blocks of so many words: arrays have as many more words as that, whose bits may be read.
inline constexpr std::int64_t block_words = 8;
/// Numbers below 2^31.
inline constexpr int most_planes = 31;

struct Planes {
  std::uint64_t* words = nullptr;
  std::int64_t stride = 0;  ///< words from plane to plane
};

/// A row of samples that begins at bit `shift` (0 to 63) of its first word.
struct BitRow {
  const std::uint64_t* words = nullptr;
  int shift = 0;
};

/// Planes of the sums of `length` samples i, i + 1, ...: of `words` words from plane 0, which has as many words more as
/// the length reaches. As many planes as the length has binary digits.
void sum_along(Simd simd, const Planes& planes, std::int64_t words, std::int64_t length);

/// to += from, planes of `from` first; to_count is enough for the sum.
void add_planes(Simd simd, const Planes& to, int to_count, const Planes& from, int from_count, std::int64_t words);

struct ThresholdTask {
  const RankStep* step = nullptr;             ///< whose stop is heard
  int planes = 1;                             ///< of the numbers to compare
  const std::uint64_t* thresholds = nullptr;  ///< planes too, plane_stride words each
  std::int64_t plane_stride = 0;
  std::int64_t threshold_rows = 0;  ///< words from a row's thresholds to the next; 0: the same for all
  std::int64_t words = 0, rows = 0;
  std::uint64_t* out = nullptr;  ///< whether the number is at least the threshold
  std::int64_t out_stride = 0;
};

/// Row y: the sums of rows y ... y + height - 1, each of `in_planes` planes of `plane_stride` words, one row after the
/// other.
void slide_down(Simd simd, const ThresholdTask& task, const std::uint64_t* in, int in_planes, std::int64_t height);

/// One row: the number of set samples among count sources.
void count_sources(Simd simd, const ThresholdTask& task, const BitRow* sources, std::int64_t count);

}  // namespace tamis::median_detail::cpu
