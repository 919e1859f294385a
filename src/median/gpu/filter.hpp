// Medians as a GPU filter: which kernels make a step, and all steps and iterations of a plan.
#pragma once

#include <memory>

#include "core/frames.hpp"
#include "core/gpu/filter.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::gpu {

[[nodiscard]] cuda::GpuFilter make_filter(MedianPlan plan);

[[nodiscard]] std::unique_ptr<core_detail::FrameWork> frames(const Context& context, Type type, const Shape& shape,
                                                             const MedianFrames& options);

}  // namespace tamis::median_detail::gpu
