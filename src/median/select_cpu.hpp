// Any window and any rank, sample by sample: gather, then quick selection.
#pragma once

#include "median/band_work.hpp"

namespace tamis::median_detail {

/// Time: the window's count for each sample.
template <class K>
void select_band(const BandWork<K>& work);

}  // namespace tamis::median_detail
