// Medians on the CPU: bands of rows that threads share, each as keys through the engine that is fastest for it.
#pragma once

#include <string>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "median/cpu/engines.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::cpu {

/// One step. `out` has the image's type and shape and is not the image. `around_nan`: F32 images may hold NaN, which is
/// left out; otherwise they hold none, or looks_for_nan(): then false says that there is some, and `out` means nothing.
[[nodiscard]] bool run(const Context& context, const RankStep& step, const Plan& plan, bool around_nan,
                       const Image& image, Image& out, Stage& stage);

/// The shape of what a step works on, whose rows run() reports to its stage: larger where the border is laid out.
[[nodiscard]] Shape worked_on(const RankStep& step, const Shape& shape);

/// Whether the step finds NaN itself, so that no one has to look for it before.
[[nodiscard]] bool looks_for_nan(const RankStep& step, const Plan& plan, const Image& image);

/// What run() would do, for people.
[[nodiscard]] std::string describe(const Context& context, const RankStep& step, const Plan& plan, Type type);

}  // namespace tamis::median_detail::cpu
