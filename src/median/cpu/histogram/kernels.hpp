// Histograms that slide with the window over keys of one byte (Huang 1979; Perreault and Hebert 2007).
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "median/plan/steps.hpp"

namespace tamis::median_detail::cpu {

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

}  // namespace tamis::median_detail::cpu
