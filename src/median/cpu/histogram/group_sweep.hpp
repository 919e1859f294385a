// Histograms that slide with the window, of keys in groups: what those who own them have to know.
#pragma once

#include <cstdint>
#include <limits>

namespace tamis::median_detail::cpu {

/// How a row of results is come to: as the first, or from the row above, from the one below, from that of the slice
/// before.
enum class SweepMove : std::uint8_t { First, Down, Up, Through };

/// What lies side by side: all counts of a column, or those of a group in all columns. Few groups take the second, for a
/// window mostly stays in one of them and then reads on; of many groups neighbours are wanted in turn.
enum class CountOrder : std::uint8_t { ByColumn, ByGroup };

/// Counts of a column: not a power of two, for columns side by side have to lie in different places of the cache.
constexpr std::int64_t counts_of_column(std::int64_t groups, std::int64_t bins) { return ((groups + 1) | 1) * bins; }

/// Whether bytes count the keys of a column, and 16 bits those of the window; otherwise it takes twice as many.
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
