// What people should know of an object before they believe its figures.
#pragma once

#include <tamis/threshold.hpp>

#include "threshold/region.hpp"

namespace tamis::threshold_detail {

/// Tells Context::on_note that one phase is everything, with the range of the samples; and that the object lies along
/// most of the rim of a region that is the same in every slice, which then holds more than the sample does. Reads the
/// source once more for the first, and at most 16 slices of it for the second.
void tell_doubts(const Context& context, SliceSource& source, const Domain& domain, Phase phase, const Binary& binary);

}  // namespace tamis::threshold_detail
