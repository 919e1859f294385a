// Packing a whole source; what the public functions come down to once options are checked.
#pragma once

#include <tamis/threshold.hpp>

#include "threshold/threshold_region.hpp"

namespace tamis::detail {

/// Bright is above < sample <= up_to. Fills object, volume and threshold. Throws InputError for NaN.
[[nodiscard]] Binary cut(const Context& context, SliceSource& source, const Domain& domain, double above, double up_to,
                         bool dark);

/// Bright is the larger of exactly two values. Fills object, volume and threshold.
[[nodiscard]] Binary split_two_values(const Context& context, SliceSource& source, const Domain& domain, bool dark);

}  // namespace tamis::detail
