// The GPU backend: runs a validated granulometry, whole or in slabs.
#pragma once

#include "granulometry/granulometry_cpu.hpp"

namespace tamis::granulometry_detail {

/// Fills volume, limited and never_empties of the result. Throws EnvironmentError where the device's memory is short.
Sizes run_cuda(const Context& context, const Request& request, const MapOutput& map);

}  // namespace tamis::granulometry_detail
