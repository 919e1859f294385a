// The CPU: which rows and columns in what order.
#pragma once

#include "distance/request.hpp"

namespace tamis::distance_detail::cpu {

/// Fills squares, largest and unbounded.
SquaredDistances run(const Context& context, const Request& request);

}  // namespace tamis::distance_detail::cpu
