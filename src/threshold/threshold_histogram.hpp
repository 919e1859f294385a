// Counting samples.
#pragma once

#include <tamis/threshold.hpp>

#include "threshold/threshold_region.hpp"

namespace tamis::detail {

/// Histogram of the samples in the domain, which is not empty. Throws InputError for NaN and infinite samples.
[[nodiscard]] Histogram histogram_inside(const Context& context, SliceSource& source, const Domain& domain);

}  // namespace tamis::detail
