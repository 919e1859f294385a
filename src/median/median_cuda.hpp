// Medians of images of the host on the GPU.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "median/median_plan.hpp"

namespace tamis::median_detail {

/// All steps and iterations of a plan that has some. `out` has the image's type and shape. False, and nothing is
/// written, if the image holds NaN that is refused. Throws EnvironmentError if device memory is short.
[[nodiscard]] bool run_cuda(const Context& context, const MedianPlan& plan, const Image& image, Image& out,
                            Stage& stage);

}  // namespace tamis::median_detail
