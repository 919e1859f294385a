// A granulometry by the scheme of Boulos et al., every slice of a stack on its own.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "granulometry/request.hpp"

namespace tamis::granulometry_detail {

/// Throws EnvironmentError if it needs more than `budget` bytes.
Sizes run_paper(const Context& context, const Request& request, const MapOutput& map, std::int64_t budget);

}  // namespace tamis::granulometry_detail
