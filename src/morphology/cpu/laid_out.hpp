// Plans under borders that tiles do not know.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "morphology/plan/steps.hpp"
#include "morphology/tuning.hpp"

namespace tamis::morphology_detail::cpu {

/// run() where is_laid_out() of the plan's border: each step by itself, on an image with what the border shows around
/// its input. Memory: two of these images, and one between steps.
bool run_laid_out(const Context& context, const Plan& plan, const Image& in, Combine combine, const Image& image,
                  Image& out, Stage& stage, const CpuTuning& tuning);

[[nodiscard]] std::int64_t laid_out_stage_steps(const Plan& plan, Type type, const Shape& shape);

}  // namespace tamis::morphology_detail::cpu
