// How many samples each window sees where that differs, and so which rank is wanted.
#pragma once

#include <cstdint>
#include <vector>

#include "median/key_slab.hpp"
#include "median/median_plan.hpp"

namespace tamis::median_detail {

/// Ranks as BandWork has them. Of whole numbers absent is what lies outside of the image, of F32 what has that key.
/// Time: runs of the window along x for each sample.
template <class K>
[[nodiscard]] std::vector<std::int32_t> ranks_of(const KeySlab<K>& in, const RankStep& step, const Band& band,
                                                 const Shape& shape);

}  // namespace tamis::median_detail
