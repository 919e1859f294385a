// Plans on the GPU.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "morphology/morphology_plan.hpp"

namespace tamis::morphology_detail {

/// Runs a plan on an image of the host. `out` has its type and shape. Returns whether an f32 image holds NaN; the
/// result is then of no use. Throws EnvironmentError if device memory is short: it holds the image three times, and its
/// parts.
bool run_cuda(const Context& context, const Plan& plan, const Image& image, Image& out);

}  // namespace tamis::morphology_detail
