// Erosions and dilations that leave NaN out.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail {

/// The result of a plan on an F32 image with NaN: a step's result is NaN where it sees NaN and nothing else.
[[nodiscard]] Image run_around_nan(const Context& context, const Plan& plan, const Image& image, Stage& stage);

}  // namespace tamis::morphology_detail
