// The median of 3 x 3 samples: so little work that reading and writing must not be more.
#pragma once

#include <tamis/image.hpp>

#include "median/cpu/band.hpp"
#include "median/cpu/network/program.hpp"

namespace tamis::median_detail::cpu {

/// For work without `ranks` on a window of 3 x 3 samples and their median.
template <class K>
void three_band(const BandTask<K>& work);

/// Whether three_from_image() does what the network does: windows around their sample, borders that do not shrink.
[[nodiscard]] bool three_can(const NetworkProgram& network, const RankStep& step, const Image& image);
/// From image to image, without keys between. False: there is NaN, and what was written means nothing.
template <class Sample>
[[nodiscard]] bool three_from_image(Simd simd, const RankStep& step, const Image& image, const Band& band, Image& out);

}  // namespace tamis::median_detail::cpu
