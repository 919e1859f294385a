// Medians as a GPU filter: which kernels make a step, and all steps and iterations of a plan.
#pragma once

#include "core/gpu/filter.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::gpu {

[[nodiscard]] cuda::GpuFilter make_filter(MedianPlan plan);

}  // namespace tamis::median_detail::gpu
