#include "morphology/gpu/filter.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "core/gpu/callers/host.hpp"
#include "core/gpu/extended.hpp"
#include "core/gpu/filter.hpp"
#include "core/operation/filter_image.hpp"
#include "morphology/gpu/kernel_choice.hpp"
#include "morphology/gpu/kernels.hpp"

namespace tamis::morphology_detail::gpu {
namespace {

std::int64_t stored_bytes(Type type, const Shape& shape) { return DeviceStore::layout(type, shape).slice * shape.z; }

/// What steps around NaN use in turn.
struct NanImages {
  NanImages(const cuda::Stream& stream, const Shape& shape)
      : parted(stream, Type::F32, shape), inner(stream, Type::F32, shape), inner_bits(stream, Type::Bool, shape) {
    for (DeviceStore* of_bits : {&nan, &numbers, &sees_nan, &sees_numbers}) {
      *of_bits = DeviceStore(stream, Type::Bool, shape);
    }
  }
  DeviceStore parted;                  ///< the image without NaN
  DeviceStore nan, numbers;            ///< where there are some
  DeviceStore sees_nan, sees_numbers;  ///< where they are seen
  DeviceStore inner, inner_bits;       ///< within a step
};

/// A step of an F32 image that leaves NaN out: the result is NaN where it sees NaN and nothing else.
class StepAroundNan : public cuda::DeviceFilter {
 public:
  StepAroundNan(const cuda::Stream& stream, const Step& step, const Plan& plan, const Shape& shape,
                const NanImages& images)
      : stream_(stream),
        shape_(shape),
        order_(step.order),
        images_(images),
        spread_nan_(seen_by(step, plan, false)),
        spread_numbers_(seen_by(step, plan, true)),
        steps_(kernels_of(step, {stream, Type::F32, shape, plan.border, plan.rank})),
        nan_steps_(kernels_of(spread_nan_, stream, Type::Bool, shape)),
        number_steps_(kernels_of(spread_numbers_, stream, Type::Bool, shape)) {}

  void run(const DeviceImage& image, const DeviceImage& out, unsigned*) const override {
    const auto& [parted, nan, numbers, sees_nan, sees_numbers, inner, inner_bits] = images_;
    part_nan(stream_, image, shape_, order_, {parted.get(), nan.get(), numbers.get()});
    cuda::run_steps(stream_, steps_, 1, {parted.get(), out, inner.get(), stored_bytes(Type::F32, shape_)}, nullptr);
    const auto spread = [&, bytes = stored_bytes(Type::Bool, shape_)](const cuda::DeviceSteps& steps,
                                                                      const DeviceStore& from, const DeviceStore& to) {
      cuda::run_steps(stream_, steps, 1, {from.get(), to.get(), images_.inner_bits.get(), bytes}, nullptr);
    };
    spread(nan_steps_, nan, sees_nan);
    spread(number_steps_, numbers, sees_numbers);
    put_nan(stream_, sees_nan.get(), sees_numbers.get(), shape_, out);
  }

 private:
  /// Where a step sees a set bit. Outside there is none, but for a constant, which is a number like others.
  static Plan seen_by(const Step& step, const Plan& plan, bool outside) {
    Plan seen{plan.rank, plan.border, {step}};
    seen.steps.front().order = Order::Max;
    if (plan.border.kind == Border::Kind::Constant) seen.border.value = outside ? 1 : 0;
    return seen;
  }

  const cuda::Stream& stream_;
  Shape shape_;
  Order order_;
  const NanImages& images_;
  Plan spread_nan_, spread_numbers_;  ///< one step each, by which set bits are seen
  cuda::DeviceSteps steps_, nan_steps_, number_steps_;
};

/// Kernels read steps of the plan that they are made of.
using SharedPlan = std::shared_ptr<const FilterPlan>;

class PlannedFilter : public cuda::DeviceFilter {
 public:
  PlannedFilter(const cuda::Stream& stream, SharedPlan plan, Type type, const Shape& shape, bool around_nan)
      : stream_(stream), plan_(std::move(plan)), type_(type), bytes_(stored_bytes(type, shape)) {
    if (around_nan) nan_images_.emplace(stream, shape);
    if (plan_->first) {
      first_ = steps_of(*plan_->first, shape);
      before_ = DeviceStore(stream, type, shape);
    }
    second_ = steps_of(plan_->second, shape);
    if (std::max(first_.size(), second_.size()) > 1) between_ = DeviceStore(stream, type, shape);
  }

  void run(const DeviceImage& image, const DeviceImage& out, unsigned* nan) const override {
    const auto half = [&](const cuda::DeviceSteps& steps, const DeviceImage& to, unsigned* flag) {
      cuda::run_steps(stream_, steps, 1, {image, to, between_.get(), bytes_}, flag);
    };
    if (plan_->first) half(first_, before_.get(), std::exchange(nan, nullptr));
    half(second_, out, nan);
    switch (plan_->combine) {
      case Combine::Result:
        return;
      case Combine::ImageMinus:
        return subtract(image, out, out);
      case Combine::MinusImage:
        return subtract(out, image, out);
      case Combine::OutputMinus:
        return subtract(before_.get(), out, out);
    }
  }

  [[nodiscard]] bool looks_for_nan() const override {
    const cuda::DeviceSteps& steps = plan_->first ? first_ : second_;
    return !steps.empty() && steps.front()->looks_for_nan();
  }

 private:
  [[nodiscard]] cuda::DeviceSteps steps_of(const Plan& plan, const Shape& shape) const {
    if (!nan_images_) return kernels_of(plan, stream_, type_, shape);
    cuda::DeviceSteps steps;
    for (const Step& step : plan.steps) {
      steps.push_back(std::make_unique<StepAroundNan>(stream_, step, plan, shape, *nan_images_));
    }
    // Without a step every sample sees itself.
    if (steps.empty()) steps.push_back(std::make_unique<StepAroundNan>(stream_, Step{}, plan, shape, *nan_images_));
    return steps;
  }

  void subtract(const DeviceImage& a, const DeviceImage& b, const DeviceImage& to) const {
    subtract_images(stream_, type_, a.data, b.data, plan_->clip, bytes_, to.data);
  }

  const cuda::Stream& stream_;
  SharedPlan plan_;
  Type type_;
  std::int64_t bytes_;
  std::optional<NanImages> nan_images_;
  cuda::DeviceSteps first_, second_;
  DeviceStore before_;   ///< what the first plan gives
  DeviceStore between_;  ///< steps
};

/// What all steps of a plan together take to write out their border.
int images_laid_out(const Plan& plan, const Shape& shape) {
  int images = 0;
  if (!is_laid_out(plan.border)) return images;
  for (const Step& step : plan.steps) images += cuda::images_laid_out(shape, tamis::reach_of(step.set.box()));
  return images;
}

/// What the distances of all steps of a plan take.
int images_of_distances(const Plan& plan, Type type) {
  int images = 0;
  for (const Step& step : plan.steps) {
    if (goes_by_distance(step, type, plan.rank, plan.border)) images += images_by_distance;
  }
  return images;
}

/// The image, its result and what PlannedFilter has; and two that a step may need within itself.
int images_of(const FilterPlan& plan, Type type, const Shape& shape) {
  constexpr int always = 5;
  const bool around_nan = type == Type::F32 && plan.nan == NanPolicy::Ignore;
  const auto of = [&](const Plan& half) { return images_laid_out(half, shape) + images_of_distances(half, type); };
  return always + (plan.first ? 1 + of(*plan.first) : 0) + of(plan.second) + (around_nan ? 3 : 0);
}

/// Filters one after the other.
class Chain : public cuda::DeviceFilter {
 public:
  Chain(const Context& context, const cuda::Stream& stream, const std::vector<SharedPlan>& plans, Type type,
        const Shape& shape, bool around_nan)
      : context_(context), stream_(stream), plans_(plans), type_(type), shape_(shape), around_nan_(around_nan) {
    first_ = made(plans_.front());
    if (plans_.size() > 1) between_ = DeviceStore(stream, type, shape);
  }

  void run(const DeviceImage& image, const DeviceImage& out, unsigned* nan) const override {
    DeviceImage now = image;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (context_.cancel.stop_requested()) throw Cancelled();
      const DeviceImage& next = (plans_.size() - i) % 2 == 1 ? out : between_.get();
      if (i == 0) {
        first_->run(now, next, nan);
      } else {
        made(plans_[i])->run(now, next, nullptr);
      }
      now = next;
    }
  }
  [[nodiscard]] bool looks_for_nan() const override { return first_->looks_for_nan(); }

 private:
  [[nodiscard]] cuda::DeviceStep made(const SharedPlan& plan) const {
    return std::make_unique<PlannedFilter>(stream_, plan, type_, shape_, around_nan_);
  }

  const Context& context_;
  const cuda::Stream& stream_;
  std::vector<SharedPlan> plans_;
  Type type_;
  Shape shape_;
  bool around_nan_;
  cuda::DeviceStep first_;
  DeviceStore between_;
};

}  // namespace

cuda::GpuFilter make_filter(FilterPlan plan, Type type, const Shape& shape) {
  cuda::GpuFilter filter{plan.what, type, shape, plan.nan, cuda::reach_if_local(reach_of(plan), shape),
                         images_of(plan, type, shape)};
  const auto shared = std::make_shared<const FilterPlan>(std::move(plan));
  filter.make = [shared, type](const cuda::Stream& stream, const Shape& of, bool around_nan) {
    return std::make_unique<PlannedFilter>(stream, shared, type, of, around_nan);
  };
  return filter;
}

cuda::GpuFilter make_chain(const Context& context, std::vector<FilterPlan> plans, Type type, const Shape& shape) {
  cuda::GpuFilter filter{plans.front().what, type, shape, plans.front().nan,
                         cuda::reach_if_local(reach_of(plans), shape)};
  std::vector<SharedPlan> shared;
  for (FilterPlan& plan : plans) {
    filter.images = std::max(filter.images, images_of(plan, type, shape) + 1);
    shared.push_back(std::make_shared<const FilterPlan>(std::move(plan)));
  }
  filter.make = [&context, shared = std::move(shared), type](const cuda::Stream& stream, const Shape& of,
                                                             bool around_nan) {
    return std::make_unique<Chain>(context, stream, shared, type, of, around_nan);
  };
  return filter;
}

std::optional<Image> asf_in_one(const Context& context, const Image& image, const AsfOptions& options) {
  const bool opens_first = options.order == AsfOptions::Order::OpenClose;
  const std::string_view first = name(opens_first ? Operation::Open : Operation::Close);
  require_device(context);
  require_image(image, first);
  std::vector<FilterPlan> plans = plan_asf(image.type(), image.shape(), options);
  plans.front().what = first;  // which is the step that meets NaN, and is named on the CPU too
  // Its stages are the caller's.
  Context quiet = context;
  quiet.on_stage = nullptr;
  if (context.on_progress) {
    quiet.on_progress = [&](const Progress& progress) { context.on_progress({"asf", progress.done, progress.total}); };
  }
  const cuda::GpuFilter filter = make_chain(quiet, std::move(plans), image.type(), image.shape());
  const std::int64_t bytes =
      filter.images * cuda::DeviceStore::layout(image.type(), image.shape()).slice * image.shape().z;
  if (bytes > cuda::device_memory_budget(context, context.gpu)) return {};
  Image out(image.type(), image.shape(), image.spacing);
  cuda::filter_image(quiet, filter, image, out);
  return out;
}

}  // namespace tamis::morphology_detail::gpu
