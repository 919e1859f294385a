// A granulometry by the scheme of Boulos et al., every slice of a stack on its own.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "granulometry/request.hpp"

namespace tamis::boulos::cpu {

/// Throws ResourceError if it needs more than `budget` bytes.
Sizes run(const Context& context, const granulometry_detail::Request& request,
          const granulometry_detail::MapOutput& map, std::int64_t budget);

}  // namespace tamis::boulos::cpu
