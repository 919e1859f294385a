// How many samples each window sees where that differs, which rank is wanted then, and where it is not the step's.
#pragma once

#include <cstdint>
#include <vector>

#include "median/cpu/keys.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::cpu {

/// Rows of a band; `alike`: windows lie inside of the image as far as rows and slices go, so that all see the same
/// columns.
struct BandRows {
  Band band;
  bool alike = false;
};
/// A band in up to nine parts.
[[nodiscard]] std::vector<BandRows> split_rows(const OffsetBox& window, const Band& band, const Shape& shape);

/// Samples inside of the image that the window of each result sees; rows one after the other, slices without gaps.
/// Time: little for rows that see as much as the one before; parts of the window that are rectangles for others.
[[nodiscard]] std::vector<std::int32_t> counts_inside(const RankStep& step, const Band& band, const Shape& shape);
/// The same of keys that are not absent. Time: parts of the window that are rectangles, for each result, and all that
/// is seen once.
template <class K>
[[nodiscard]] std::vector<std::int32_t> counts_present(const KeySlab<K>& in, const RankStep& step, const Band& band,
                                                       const Shape& shape);

/// Counts become ranks as BandTask has them.
void make_ranks(const RankStep& step, std::int64_t nx, std::vector<std::int32_t>& counts);

// Where in a band the wanted rank is not the step's: near borders where windows shrink, and around NaN.

/// Some rows and columns of a slice.
struct BandPart {
  Band band;
  std::int64_t x0 = 0, x1 = 0;
  [[nodiscard]] std::int64_t count() const { return (band.y1 - band.y0) * (x1 - x0); }
};

/// `ranks` as BandTask has them. Cells of a few rows and columns, neighbours in a row of cells as one part,
/// without columns at its ends where nothing varies.
[[nodiscard]] std::vector<BandPart> varied_parts(const std::int32_t* ranks, const Band& band, std::int64_t nx,
                                                 std::int64_t rank);

}  // namespace tamis::median_detail::cpu
