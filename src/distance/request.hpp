// Distances that are asked for, validated.
#pragma once

#include <tamis/distance.hpp>

#include "distance/plan.hpp"

namespace tamis::distance_detail {

struct Request {
  const Image* object = nullptr;
  const Image* domain = nullptr;  ///< nullptr: everything counts
  bool neutral = false;
  Plan plan;
};

}  // namespace tamis::distance_detail
