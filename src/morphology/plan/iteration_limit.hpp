// How many iterations of an erosion or a dilation change anything.
#pragma once

#include <cstdint>

#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail {

/// The request's iterations, or fewer that give the same: on an image of n samples along an axis, unit steps have seen
/// all they will ever see after n of them.
[[nodiscard]] std::int64_t useful_iterations(const PlanRequest& request);

}  // namespace tamis::morphology_detail
