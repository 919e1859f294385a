// Full boxes of any size, any rank: histograms of bytes that slide with the window (Huang 1979; Perreault and Hebert 2007). Keys of more bytes: median/cpu/bucket/run.hpp.
#pragma once

#include <cstdint>
#include <limits>

#include <tamis/context.hpp>

#include "median/cpu/band.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::cpu {

// Histograms of keys in groups: what those who own them have to know.

/// From which row of results the next one is reached: none, as it is the first; the row above; the row below; the same
/// row of the slice before.
enum class SweepMove : std::uint8_t { First, Down, Up, Through };

/// What lies side by side: all counts of a column, or those of one group in all columns. ByGroup is for few groups: a
/// window mostly stays in one, and reads memory in order. With many groups it goes from one to its neighbour.
enum class CountOrder : std::uint8_t { ByColumn, ByGroup };

/// Counts of a column: not a power of two, for columns side by side have to lie in different places of the cache.
constexpr std::int64_t counts_of_column(std::int64_t groups, std::int64_t bins) { return ((groups + 1) | 1) * bins; }

/// Whether 8 bits hold the count of a column and 16 that of a window; otherwise counts are twice as wide.
constexpr bool counts_are_small(std::int64_t width, std::int64_t height, std::int64_t depth) {
  return height * depth <= std::numeric_limits<std::uint8_t>::max() &&
         width * height * depth <= std::numeric_limits<std::uint16_t>::max();
}

/// Bytes of counts, aligned to 64: one column more than all windows of a row see.
constexpr std::int64_t sweep_count_bytes(std::int64_t columns, std::int64_t width, std::int64_t height,
                                         std::int64_t depth, std::int64_t counts) {
  return (columns + width) * counts * (counts_are_small(width, height, depth) ? 1 : 2);
}

// Histograms of bytes.

/// Where spans do not fit, the values of a byte fall into groups.
inline constexpr std::int64_t values_of_a_group = 16;
inline constexpr std::int64_t groups_of_bytes = 256 / values_of_a_group;

/// Full boxes over a part of a slice. What the window of the result in column x of row y sees: keys[z slice_stride +
/// (y + i) row_stride + x + j], z below depth, i below height, j below width.
struct HistogramTask {
  const std::uint8_t* keys = nullptr;
  std::int64_t row_stride = 0, slice_stride = 0;
  std::int64_t width = 1, height = 1, depth = 1;  ///< of the window
  std::int64_t columns = 0, rows = 0;             ///< results
  std::int32_t rank = 0;                          ///< of all results; or
  const std::int32_t* ranks = nullptr;            ///< of each; below 0 is as 0
  std::int64_t rank_stride = 0;
  std::uint8_t* out = nullptr;  ///< the key of that rank
  std::int64_t out_stride = 0;
  const RankStep* step = nullptr;  ///< whose stop is heard before each row, if there is one
};

/// Counts are 16 bits where they fit, otherwise 32; a column of the window has up to 65,535 keys.
[[nodiscard]] bool histogram_fits(std::int64_t width, std::int64_t height, std::int64_t depth);
/// Bytes of scratch, aligned to 64.
[[nodiscard]] std::int64_t histogram_scratch_bytes(const HistogramTask& task);

/// Time: a small constant for each result, whatever the window; and height x depth for each column at the start.
void run_histograms(Simd simd, const HistogramTask& task, std::byte* scratch);

// Spans: histograms, 32 neighbouring values of which are kept up to date.

/// Bytes of scratch, aligned to 64.
[[nodiscard]] std::int64_t span_scratch_bytes(const HistogramTask& task);

/// As run_histograms(); false if windows are too large, or vectors of the instruction set too small.
[[nodiscard]] bool run_spans(Simd simd, const HistogramTask& task, std::byte* scratch);

[[nodiscard]] bool histogram_can(const RankStep& step);

/// Time: constant for each result.
void histogram_band(const BandTask<std::uint8_t>& work);

}  // namespace tamis::median_detail::cpu
