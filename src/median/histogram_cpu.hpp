// Full boxes of any size, any rank: sliding histograms. Of keys of more than one byte the histograms are of buckets of
// ranks in a tile, and the key is then found among those of its bucket.
#pragma once

#include "median/band_work.hpp"

namespace tamis::median_detail {

[[nodiscard]] bool histogram_can(const RankStep& step);

/// Time: constant for each result; sorting what the tile sees comes on top for keys of more than one byte.
template <class K>
void histogram_band(const BandWork<K>& work);

}  // namespace tamis::median_detail
