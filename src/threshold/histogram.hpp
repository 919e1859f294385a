// Counting samples.
#pragma once

#include <tamis/threshold.hpp>

#include "threshold/device.hpp"
#include "threshold/region.hpp"

namespace tamis::threshold_detail {

/// Histogram of the samples in the domain, which is not empty; on `device`, unless that is null. Throws InputError for
/// NaN and infinite samples.
[[nodiscard]] Histogram histogram_inside(const Context& context, SliceSource& source, const Domain& domain,
                                         DeviceSamples* device);
/// The value that an automatic method chooses for them.
[[nodiscard]] double value_inside(const Context& context, SliceSource& source, const Domain& domain,
                                  DeviceSamples* device, ThresholdMethod method);
/// How often that looks at the samples.
[[nodiscard]] inline Passes passes_of_histogram(Type type) {
  return sample_bytes(type) <= 2 ? Passes::One : Passes::Several;
}

}  // namespace tamis::threshold_detail
