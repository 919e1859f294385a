// Steps and iterations, and the choice of the backend.
#include <tamis/median.hpp>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/cpu/copy.hpp"
#include "core/cpu/transposed.hpp"
#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"
#include "median/cpu/run.hpp"
#include "median/plan/steps.hpp"
#include "median/run.hpp"
#ifdef TAMIS_CUDA
#include "core/gpu/callers/host.hpp"
#include "median/gpu/filter.hpp"
#endif

namespace tamis {
namespace {

using namespace median_detail;

bool same(const Image& a, const Image& b) {
  const auto bytes = static_cast<std::size_t>(bytes_of_row(a));
  bool all = true;
  for (std::int64_t row = 0; all && row < a.shape().z * a.shape().y; ++row) {
    const std::int64_t z = row / a.shape().y, y = row % a.shape().y;
    all = std::memcmp(a.row<std::byte>(z, y), b.row<std::byte>(z, y), bytes) == 0;
  }
  return all;
}

std::string describe(const Context& context, const MedianPlan& plan, const std::vector<cpu::Plan>& engines) {
  std::string text;
  for (std::size_t s = 0; s < engines.size(); ++s) {
    text += cpu::describe(context, plan.steps[s], engines[s], plan.type) + "\n";
  }
  return text;
}

/// False: there is NaN that is refused.
bool run_on_cpu(const Context& all, const MedianPlan& plan, const std::vector<cpu::Plan>& engines, const Image& image,
                Image& out, Stage& stage) {
  const std::size_t steps = plan.steps.size();
  const bool many = steps > 1 || plan.iterations > 1;
  Image between = many ? image_between(all, image) : Image();
  const Context context = many ? beside(all, image.bytes()) : all;
  const Image* now = &image;
  const bool refuses = plan.nan == NanPolicy::Refuse;
  const bool looks = image.type() == Type::F32 && !(refuses && cpu::looks_for_nan(plan.steps[0], engines[0], image));
  const bool around_nan = looks && !first_nan(image).empty();
  if (around_nan && refuses) return false;
  for (std::int64_t i = 0; i < plan.iterations; ++i) {
    const Image* const before = now;
    for (std::size_t s = 0; s < steps; ++s) {
      Image& next = now == &out ? between : out;
      if (!cpu::run(context, plan.steps[s], engines[s], around_nan, *now, next, stage)) return false;
      now = &next;
    }
    // A fixed point: further iterations change nothing. With two steps it cannot be seen: the image before is lost.
    if (i > 0 && steps == 1 && i + 1 < plan.iterations && same(*before, *now)) break;
  }
  if (now != &out) std::swap(out, between);
  return true;
}

[[noreturn]] void refuse_nan(const MedianPlan& plan, const std::string& at) {
  throw InputError(fmt::format("{}: the image holds NaN at {}; wanted numbers, or nan ignore", plan.what, at));
}

MedianFacts run(const Context& context, const MedianPlan& given, const Image& image, Image& out) {
  prepare_output(image, out);
  const bool turned = turns(context, given);
  MedianPlan plan = turned ? transposed(given) : given;
  for (RankStep& step : plan.steps) step.cancel = context.cancel;
  const Backend backend = choose_backend(context, plan);
#ifdef TAMIS_CUDA
  if (!plan.steps.empty() && backend.device == Device::Cuda) {
    cuda::filter_image(context, gpu::make_filter(given), image, out);
    return {Device::Cuda, ""};
  }
#endif
  if (plan.steps.empty()) {
    const std::string nan_at = image.type() == Type::F32 && plan.nan == NanPolicy::Refuse ? first_nan(image) : "";
    if (!nan_at.empty()) refuse_nan(plan, nan_at);
    copy_samples(context, image, out);
    return {};
  }
  std::int64_t rows = 0;
  for (const RankStep& step : plan.steps) {
    const Shape worked = cpu::worked_on(step, plan.shape);
    rows += worked.z * worked.y;
  }
  Stage stage(context, std::string(plan.what), rows * plan.iterations);
  const Spacing spacing = image.spacing;
  const auto run_images = [&](const Image& in, Image& result) {
    return run_on_cpu(context, plan, backend.engines, in, result, stage);
  };
  const bool numbers = turned ? run_transposed(context, image, out, run_images) : run_images(image, out);
  if (!numbers) refuse_nan(plan, first_nan(image));
  out.spacing = spacing;
  return {Device::Cpu, describe(context, plan, backend.engines)};
}

}  // namespace

bool median_detail::turns(const Context& context, const MedianPlan& plan) {
  return better_transposed(context, plan.type, plan.shape) &&
         std::all_of(plan.steps.begin(), plan.steps.end(),
                     [](const RankStep& step) { return is_easily_transposed(step.window); });
}

bool median_detail::keeps_to_bits(const MedianPlan& plan) {
  // A window that holds the origin sees the image from everywhere.
  return std::all_of(plan.steps.begin(), plan.steps.end(), [](const RankStep& step) {
    const double beyond = step.border.kind == Border::Kind::Constant ? step.border.value : 0;
    return step.window.contains({}) && (beyond == 0 || beyond == 1);
  });
}

MedianPlan median_detail::transposed(MedianPlan plan) {
  plan.shape = tamis::transposed(plan.shape);
  for (RankStep& step : plan.steps) step.window = tamis::transposed(step.window);
  return plan;
}

MedianFacts median_detail::run(const Context& context, const char* what, const std::function<MedianPlan()>& plan,
                               const Image& image, Image& out) {
  return door::compute(context, what, [&] {
    require_image(image, what);
    return tamis::run(context, plan(), image, out);
  });
}

MedianFacts median(const Context& context, const Image& image, const MedianOptions& options, Image& out) {
  const auto plan = [&] { return plan_median(image.type(), image.shape(), options, context.cancel); };
  return median_detail::run(context, "median", plan, image, out);
}

Image median(const Context& context, const Image& image, const MedianOptions& options) {
  Image out;
  median(context, image, options, out);
  return out;
}

MedianFacts smooth(const Context& context, const Image& image, const SmoothOptions& options, Image& out) {
  const auto plan = [&] { return plan_smooth(image.type(), image.shape(), options); };
  return median_detail::run(context, "smooth", plan, image, out);
}

Image smooth(const Context& context, const Image& image, const SmoothOptions& options) {
  Image out;
  smooth(context, image, options, out);
  return out;
}

Device choose_device(const Context& context, Type type, const Shape& shape, const MedianOptions& options) {
  return door::enter(context, "median",
                     [&] { return choose_backend(context, plan_median(type, shape, options)).device; });
}
Device choose_device(const Context& context, Type type, const Shape& shape, const SmoothOptions& options) {
  return door::enter(context, "smooth",
                     [&] { return choose_backend(context, plan_smooth(type, shape, options)).device; });
}

std::string explain(const Context& context, Type type, const Shape& shape, const MedianOptions& options) {
  return door::enter(context, "median", [&] {
    Context on_cpu = context;
    on_cpu.device = Device::Cpu;
    MedianPlan plan = plan_median(type, shape, options);
    if (turns(context, plan)) plan = transposed(std::move(plan));
    return describe(context, plan, choose_backend(on_cpu, plan).engines);
  });
}

}  // namespace tamis
