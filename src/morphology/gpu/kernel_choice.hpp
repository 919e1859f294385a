// Which kernels make a step of a plan: the one place where morphology chooses among those of the GPU.
#pragma once

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/gpu/filter.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::gpu {

/// What kernels are made for, whatever the step. The stream has to outlive them.
struct StepSetting {
  const cuda::Stream& stream;
  Type type = Type::U8;
  Shape shape;
  Border border;
  int rank = 2;  ///< of the plan
};

/// One after the other they make the step, which has to outlive them.
[[nodiscard]] cuda::DeviceSteps kernels_of(const Step& step, const StepSetting& setting);
/// Those of all steps of a plan.
[[nodiscard]] cuda::DeviceSteps kernels_of(const Plan& plan, const cuda::Stream& stream, Type type, const Shape& shape);

}  // namespace tamis::morphology_detail::gpu
