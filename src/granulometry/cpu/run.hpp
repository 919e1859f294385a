// The CPU backend: runs a validated granulometry, whole or in slabs.
#pragma once

#include <tamis/context.hpp>
#include <tamis/granulometry.hpp>

#include "granulometry/request.hpp"

namespace tamis::granulometry_detail::cpu {

/// Fills volume, limited and never_empties of the result.
Sizes run(const Context& context, const Request& request, const MapOutput& map);

}  // namespace tamis::granulometry_detail::cpu
