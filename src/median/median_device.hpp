// Which device a plan runs on where the context leaves it open.
#pragma once

#include <tamis/context.hpp>

#include "median/median_plan.hpp"

namespace tamis::median_detail {

/// The GPU where the CPU would take longer than the GPU, the copies there and back and the start of CUDA together.
/// Throws EnvironmentError if the context asks for a GPU that cannot be used.
[[nodiscard]] Device choose_device(const Context& context, const MedianPlan& plan);

}  // namespace tamis::median_detail
