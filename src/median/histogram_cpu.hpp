// Full boxes of any size, any rank: sliding histograms of bytes. Keys of more bytes: bucket_cpu.hpp.
#pragma once

#include "median/band_work.hpp"

namespace tamis::median_detail {

[[nodiscard]] bool histogram_can(const RankStep& step);

/// Time: constant for each result.
void histogram_band(const BandWork<std::uint8_t>& work);

}  // namespace tamis::median_detail
