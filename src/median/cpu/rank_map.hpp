// How many samples each window sees where that differs, and so which rank is wanted.
#pragma once

#include <cstdint>
#include <vector>

#include "median/cpu/key_slab.hpp"
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

}  // namespace tamis::median_detail::cpu
