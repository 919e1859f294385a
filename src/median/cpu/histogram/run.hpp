// Full boxes of any size, any rank: sliding histograms of bytes. Keys of more bytes: median/cpu/bucket/run.hpp.
#pragma once

#include "median/cpu/band.hpp"

namespace tamis::median_detail::cpu {

[[nodiscard]] bool histogram_can(const RankStep& step);

/// Time: constant for each result.
void histogram_band(const BandTask<std::uint8_t>& work);

}  // namespace tamis::median_detail::cpu
