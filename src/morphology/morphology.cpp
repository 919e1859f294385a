// Operations on images, and the choice of the backend.
#include <tamis/morphology.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/cpu/parallel.hpp"
#include "core/cpu/transposed.hpp"
#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"
#include "morphology/cpu/run.hpp"
#include "morphology/plan/filter.hpp"
#include "morphology/run.hpp"
#ifdef TAMIS_CUDA
#include "core/gpu/callers/host.hpp"
#include "morphology/gpu/filter.hpp"
#endif

namespace tamis {
namespace {

using namespace morphology_detail;

/// Whether the CPU is certain to look at every sample of the image on its way: where all windows hold their own place.
/// Others may leave out a corner that no window reaches.
bool meets_every_sample(const Plan& plan) {
  if (is_traced(plan)) return true;
  return std::all_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) { return step.set.contains({}); });
}

/// False: there is NaN that is refused.
bool run_plan(const Context& context, const Plan& plan, NanPolicy nan, const Image& image, Combine how, Image& out,
              std::string_view what) {
  Stage stage(context, std::string(what), cpu::stage_steps(plan, image.type(), image.shape()));
  // Differences with what is in the output cannot be done twice: then NaN is looked for first; as where it is refused
  // and would not be met.
  const bool unmet = nan == NanPolicy::Refuse && !meets_every_sample(plan);
  const bool first = (how == Combine::OutputMinus || unmet) && image.type() == Type::F32;
  bool found = first && !first_nan(image).empty();
  if (!found) found = cpu::run(context, plan, image, how, image, out, stage);
  if (!found) return true;
  if (nan == NanPolicy::Refuse) return false;
  combine_images(context, how, run_around_nan(context, plan, image, stage), image, out);
  return true;
}

template <class Sample>
void clip_at_zero(const Context& context, Image& image) {
  for_each_row(context, image.shape(), [&](std::int64_t z, std::int64_t y) {
    auto* const row = image.row<Sample>(z, y);
    for (std::int64_t x = 0; x < image.shape().x; ++x) row[x] = row[x] < 0 ? Sample{0} : row[x];
  });
}

/// False: there is NaN that is refused.
bool run_on_cpu(const Context& context, const FilterPlan& plan, const Image& image, Image& out) {
  if (plan.first && !run_plan(context, *plan.first, plan.nan, image, Combine::Result, out, plan.what)) return false;
  if (!run_plan(context, plan.second, plan.nan, image, plan.combine, out, plan.what)) return false;
  if (!plan.clip) return true;
  image.type() == Type::I16 ? clip_at_zero<std::int16_t>(context, out) : clip_at_zero<float>(context, out);
  return true;
}

bool is_easily_transposed(const Plan& plan) {
  return std::all_of(plan.steps.begin(), plan.steps.end(),
                     [](const Step& step) { return !step.traced && tamis::is_easily_transposed(step.set); });
}

/// The same steps where x and y are exchanged.
Plan transposed(Plan plan) {
  for (Step& step : plan.steps) {
    step.set = tamis::transposed(step.set);
    step.program = make_program(step.set, step.order == plan.steps.back().order);
  }
  return plan;
}

FilterPlan transposed(FilterPlan plan) {
  if (plan.first) plan.first = transposed(*plan.first);
  plan.second = transposed(plan.second);
  return plan;
}

void run_filter(const Context& context, const FilterPlan& plan, const Image& image, Image& out) {
  prepare_output(image, out);
#ifdef TAMIS_CUDA
  // Only where it is asked for: copies to the GPU and back take longer than most filters on the CPU.
  if (context.device == Device::Cuda) {
    return cuda::filter_image(context, gpu::make_filter(plan, image.type(), image.shape()), image, out);
  }
#endif
  const bool turns = better_transposed(context, image.type(), image.shape()) && is_easily_transposed(plan.second) &&
                     (!plan.first || is_easily_transposed(*plan.first));
  const auto run_turned = [&](const Image& in, Image& result) {
    return run_on_cpu(context, transposed(plan), in, result);
  };
  if (turns ? run_transposed(context, image, out, run_turned) : run_on_cpu(context, plan, image, out)) return;
  throw InputError(
      fmt::format("{}: the image holds NaN at {}; wanted numbers, or nan ignore", plan.what, first_nan(image)));
}

}  // namespace

std::string_view name(Lines lines) {
  door::require_known(lines, Lines::Traced, "lines");
  return lines == Lines::Traced ? "traced" : "invariant";
}

std::string_view name(Operation operation) {
  switch (operation) {
    case Operation::Erode:
      return "erode";
    case Operation::Dilate:
      return "dilate";
    case Operation::Open:
      return "open";
    case Operation::Close:
      return "close";
    case Operation::Gradient:
      return "gradient";
    case Operation::InnerGradient:
      return "inner gradient";
    case Operation::OuterGradient:
      return "outer gradient";
    case Operation::TopHat:
      return "tophat";
    case Operation::BotHat:
      return "bothat";
  }
  door::refuse_value(static_cast<std::int64_t>(operation), static_cast<std::int64_t>(Operation::BotHat), "operation");
}

void morphology(const Context& context, Operation operation, const Image& image, const MorphologyOptions& options,
                Image& out) {
  door::compute(context, name(operation), [&] {
    require_image(image, name(operation));
    if (goes_by_distance(context, operation, image, options)) {
      prepare_output(image, out);
      return run_by_distance(context, operation, image, options, out);
    }
    run_filter(context, plan_filter(operation, image.type(), image.shape(), options, context.cancel), image, out);
  });
}

Image morphology(const Context& context, Operation operation, const Image& image, const MorphologyOptions& options) {
  Image out;
  morphology(context, operation, image, options, out);
  return out;
}

Image hitmiss(const Context& context, const Image& image, const HitMissOptions& options) {
  return door::compute(context, "hitmiss", [&] {
    require_image(image, "hitmiss");
    Image out;
    run_filter(context, plan_hitmiss(image.type(), image.shape(), options), image, out);
    return out;
  });
}

std::string explain(Operation operation, const Shape& shape, const MorphologyOptions& options) {
  door::require_shape(Type::F32, shape, name(operation));
  const FilterPlan plan = plan_filter(operation, Type::F32, shape, options);  // which has the border, whatever it is
  const CpuTuning tuning;
  return (plan.first ? cpu::describe(*plan.first, tuning) : "") + cpu::describe(plan.second, tuning);
}

}  // namespace tamis
