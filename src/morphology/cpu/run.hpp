// Plans on the CPU.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "morphology/plan/steps.hpp"
#include "morphology/tuning.hpp"

namespace tamis::morphology_detail::cpu {

/// Runs a plan on `in`. `out` has type and shape of `in`; how results get into it is `combine`'s matter, which may
/// look at `image` (of the same form). NaN counts as the neutral value of the first step; returns whether there is one.
bool run(const Context& context, const Plan& plan, const Image& in, Combine combine, const Image& image, Image& out,
         Stage& stage, const CpuTuning& tuning = {});

/// Steps that run() reports to its stage.
[[nodiscard]] std::int64_t stage_steps(const Plan& plan, Type type, const Shape& shape);

}  // namespace tamis::morphology_detail::cpu
