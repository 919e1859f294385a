// The median of 3 x 3 samples: so little work that reading and writing must not be more.
#pragma once

#include <tamis/image.hpp>

#include "median/band_work.hpp"

namespace tamis::median_detail {

/// For work without `ranks` on a window of 3 x 3 samples and their median.
template <class K>
void three_band(const BandWork<K>& work);

/// The same from image to image, for types that are their own keys (u8, u16) and borders that do not shrink. Where it
/// is done without a slab, true; otherwise nothing is done.
template <class K>
[[nodiscard]] bool three_from_image(Simd simd, const RankStep& step, const Image& image, const Band& band, Image& out);

}  // namespace tamis::median_detail
