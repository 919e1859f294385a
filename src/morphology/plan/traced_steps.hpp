// Plans of traced steps on the CPU.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail {

/// cpu::run() for a traced plan.
bool run_traced(const Context& context, const Plan& plan, const Image& in, Combine combine, const Image& image,
                Image& out, Stage& stage);

}  // namespace tamis::morphology_detail
