// Histograms that slide with the window, of keys in groups: what those who own them have to know.
#pragma once

#include <cstdint>
#include <limits>

namespace tamis::median_detail::cpu {

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

}  // namespace tamis::median_detail::cpu
