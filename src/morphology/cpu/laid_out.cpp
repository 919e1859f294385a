#include "morphology/cpu/laid_out.hpp"

#include "core/extended.hpp"
#include "core/operation/filter_image.hpp"
#include "morphology/combine_images.hpp"
#include "morphology/cpu/run.hpp"

namespace tamis::morphology_detail::cpu {
namespace {

/// What lies beyond the extent reaches only results that are cut off.
Plan alone(const Plan& plan, const Step& step) { return {plan.rank, Border::neutral(), {step}}; }

}  // namespace

bool run_laid_out(const Context& context, const Plan& plan, const Image& in, Combine combine, const Image& image,
                  Image& out, Stage& stage, const CpuTuning& tuning) {
  bool nan = false;
  Image between;
  if (plan.steps.size() > 1 || combine != Combine::Result) between = image_between(context, in);
  const Image* now = &in;
  for (const Step& step : plan.steps) {
    const Extent extent = extent_of(in.shape(), step.set.box());
    const Image wide = extended(context, *now, extent, plan.border.kind);
    Image result(wide.type(), wide.shape());
    nan = run(context, alone(plan, step), wide, Combine::Result, wide, result, stage, tuning) || nan;
    const bool last = &step == &plan.steps.back();
    Image& to = last && combine == Combine::Result ? out : between;
    cut_out(context, result, extent, to);
    now = &to;
  }
  if (combine != Combine::Result) combine_images(context, combine, *now, image, out);
  return nan;
}

std::int64_t laid_out_stage_steps(const Plan& plan, Type type, const Shape& shape) {
  std::int64_t sum = 0;
  for (const Step& step : plan.steps) {
    sum += stage_steps(alone(plan, step), type, extent_of(shape, step.set.box()).shape);
  }
  return sum;
}

}  // namespace tamis::morphology_detail::cpu
