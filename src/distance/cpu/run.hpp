// The CPU: which rows and columns in what order.
#pragma once

#include <tamis/distance.hpp>

#include "distance/plan.hpp"

namespace tamis::distance_detail::cpu {

struct Request {
  const Image* object = nullptr;
  const Image* domain = nullptr;  ///< nullptr: everything counts
  bool neutral = false;
  Plan plan;
};

/// Fills squares, largest and unbounded.
SquaredDistances run(const Context& context, const Request& request);

}  // namespace tamis::distance_detail::cpu
