#include "median/gpu/filter.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/gpu/extended.hpp"
#include "core/gpu/filter.hpp"
#include "core/operation/filter_image.hpp"
#include "median/gpu/step.hpp"

namespace tamis::median_detail::gpu {

std::uint32_t outside_bits(Type type, const Border& border) {
  if (border.kind != Border::Kind::Constant) return 0;
  if (type == Type::F32) return std::bit_cast<std::uint32_t>(static_cast<float>(border.value));
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(border.value));
}

namespace {

/// Networks and ordinals count along axes in 32 bits, and twice an axis where the border reflects.
bool has_short_axes(const Shape& shape) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  return std::max({shape.x, shape.y, shape.z}) <= most;
}

/// Null if there is none.
cuda::DeviceStep network(const cuda::Stream& stream, const Step& step) {
  return !step.around_nan && has_short_axes(step.shape) ? network_step(stream, step) : nullptr;
}

/// Any window, rank and border. Null for a frame that would take as long as the whole image.
cuda::DeviceStep any_window(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs) {
  const auto ordinals = has_short_axes(step.shape) ? ordinal_tile(stream, step, runs) : std::nullopt;
  const auto buckets = choose_gpu_bucket_tile(step.rank.window, runs.changes(), step.shape);
  if (ordinals && (step.frame_only || !buckets || ordinals->picoseconds <= buckets->picoseconds)) {
    return ordinal_step(stream, step, runs, *ordinals);
  }
  if (step.frame_only) return nullptr;
  if (buckets) return bucket_step(stream, step, runs, *buckets);
  throw InputError(
      fmt::format("median: a window of {} samples is more than a GPU can do; wanted a smaller one, or "
                  "device cpu",
                  step.rank.count));
}

/// The kernels of one step: those of the whole image, and of its frame where they know only whole windows.
class RankKernels : public cuda::DeviceFilter {
 public:
  RankKernels(const cuda::Stream& stream, Step step) {
    const bool shrinks = step.rank.shrinks();
    Step whole = step;
    if (shrinks) whole.border = Border::reflect();
    if (auto kernel = network(stream, whole)) {
      kernels_.push_back(std::move(kernel));
      if (!shrinks) return;
    }
    runs_.emplace(stream, step.rank.window);
    if (step.type == Type::Bool) {
      kernels_.push_back(majority_step(stream, step, *runs_));
      return;
    }
    if (kernels_.empty() && step.type == Type::U8) {
      kernels_.push_back(histogram_step(stream, whole, *runs_));
      if (!shrinks) return;
    }
    step.frame_only = !kernels_.empty();
    cuda::DeviceStep kernel = any_window(stream, step, *runs_);
    if (!kernel) {
      kernels_.clear();
      step.frame_only = false;
      kernel = any_window(stream, step, *runs_);
    }
    kernels_.push_back(std::move(kernel));
  }

  void run(const cuda::DeviceImage& image, const cuda::DeviceImage& out, unsigned* nan) const override {
    for (const auto& kernel : kernels_) kernel->run(image, out, nan);
  }
  [[nodiscard]] bool looks_for_nan() const override { return kernels_.front()->looks_for_nan(); }

 private:
  std::optional<DeviceRunList> runs_;  ///< for kernels that read it
  cuda::DeviceSteps kernels_;
};

/// All steps and iterations. Memory: an image between where there is more than one run of a step, and the workspace.
class MedianFilter : public cuda::DeviceFilter {
 public:
  MedianFilter(const cuda::Stream& stream, const MedianPlan& plan, const Shape& shape, bool around_nan)
      : stream_(stream),
        iterations_(plan.iterations),
        bytes_(cuda::DeviceStore::layout(plan.type, shape).slice * shape.z) {
    for (const RankStep& step : plan.steps) {
      const Step made_for{step, workspace_, plan.type, shape, step.border, around_nan};
      steps_.push_back(is_laid_out(step.border) ? laid_out(made_for) : std::make_unique<RankKernels>(stream, made_for));
    }
    workspace_.allocate(stream);
    const bool many = steps_.size() > 1 || (iterations_ > 1 && !steps_.empty());
    if (many) between_ = cuda::DeviceStore(stream, plan.type, shape);
  }

  void run(const cuda::DeviceImage& image, const cuda::DeviceImage& out, unsigned* nan) const override {
    cuda::run_steps(stream_, steps_, iterations_, {image, out, between_.get(), bytes_}, nan);
  }
  [[nodiscard]] bool looks_for_nan() const override { return !steps_.empty() && steps_.front()->looks_for_nan(); }

 private:
  /// What lies beyond the image that is written out reaches only results that are cut off.
  [[nodiscard]] cuda::DeviceStep laid_out(const Step& step) const {
    return std::make_unique<cuda::LaidOutSteps>(stream_, step.type, step.shape, step.rank.window.box(),
                                                step.border.kind, [&](const Shape& shape) {
                                                  Step within = step;
                                                  within.shape = shape;
                                                  within.border = Border::reflect();
                                                  cuda::DeviceSteps steps;
                                                  steps.push_back(std::make_unique<RankKernels>(stream_, within));
                                                  return steps;
                                                });
  }

  const cuda::Stream& stream_;
  Workspace workspace_;
  cuda::DeviceSteps steps_;
  std::int64_t iterations_, bytes_;
  cuda::DeviceStore between_;
};

/// The image, its result, one between them, a padded copy, and what writing out a border takes.
int images_of(const MedianPlan& plan) {
  int images = 4;
  for (const RankStep& step : plan.steps) {
    if (is_laid_out(step.border)) images += cuda::images_laid_out(plan.shape, tamis::reach_of(step.window.box()));
  }
  return images;
}

}  // namespace

cuda::GpuFilter make_filter(MedianPlan plan) {
  cuda::GpuFilter filter{plan.what, plan.type, plan.shape, plan.nan,
                         cuda::reach_if_local(reach_of(plan), plan.shape)};
  filter.images = images_of(plan);
  filter.make = [plan = std::move(plan)](const cuda::Stream& stream, const Shape& shape, bool around_nan) {
    return std::make_unique<MedianFilter>(stream, plan, shape, around_nan);
  };
  return filter;
}

}  // namespace tamis::median_detail::gpu
