#include "median/median_cuda.hpp"

#include "core/cuda/device_image.hpp"
#include "core/cuda/stream.hpp"
#include "median/rank_run_cuda.hpp"

namespace tamis::median_detail {

void run_cuda(const Context& context, const MedianPlan& plan, bool around_nan, const Image& image, Image& out,
              Stage& stage) {
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  const cuda::DeviceStore from(stream, plan.type, plan.shape);
  const cuda::DeviceStore to(stream, plan.type, plan.shape);
  const PlanRun plan_run(stream, plan, around_nan);
  from.fill(stream, image.data());
  plan_run.run(from.get(), to.get());
  to.read(stream, out.data());
  stream.synchronize();
  stage.advance(plan.shape.z * plan.shape.y * static_cast<std::int64_t>(plan.steps.size()) * plan.iterations);
}

}  // namespace tamis::median_detail
