// Medians on the CPU: bands of rows that threads share, each as keys through the engine that is fastest for it.
#pragma once

#include <string>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "median/cpu_plan.hpp"
#include "median/median_plan.hpp"

namespace tamis::median_detail {

/// One step. `out` has the image's type and shape and is not the image. `around_nan`: F32 images may hold NaN, which is
/// left out; otherwise they hold none.
void run_cpu(const Context& context, const RankStep& step, const CpuPlan& plan, bool around_nan, const Image& image,
             Image& out, Stage& stage);

/// What run_cpu() would do, for people.
[[nodiscard]] std::string describe_cpu(const Context& context, const RankStep& step, Type type);

}  // namespace tamis::median_detail
