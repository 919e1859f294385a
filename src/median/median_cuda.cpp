#include "median/median_cuda.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/cuda/device_image.hpp"
#include "core/cuda/image_slabs.hpp"
#include "core/cuda/stream.hpp"
#include "core/filter_image.hpp"
#include "median/rank_run_cuda.hpp"

namespace tamis::median_detail {
namespace {

/// What a result of the whole plan depends on.
OffsetBox reach_of(const MedianPlan& plan) {
  OffsetBox reach;
  for (const RankStep& step : plan.steps) {
    reach.low = reach.low + step.window.box().low;
    reach.high = reach.high + step.window.box().high;
  }
  const auto times = [&](const Offset& offset) {
    return Offset{plan.iterations * offset.z, plan.iterations * offset.y, plan.iterations * offset.x};
  };
  return {times(reach.low), times(reach.high)};
}

/// From, to, between, and a padded copy.
constexpr std::int64_t images_at_once = 4;

/// False if the slab holds NaN that is refused.
bool run_slab(const cuda::Stream& stream, MedianPlan plan, const cuda::ImageSlabs& slabs, const cuda::ImageSlab& slab,
              const Image& image, Image& out) {
  plan.shape = slabs.shape(slab);
  const cuda::DeviceStore from(stream, plan.type, plan.shape);
  const cuda::DeviceStore to(stream, plan.type, plan.shape);
  slabs.fill(stream, slab, image, from);
  if (!run_once(stream, plan, from.get(), to.get())) return false;
  slabs.read(stream, slab, to, out);
  stream.synchronize();
  return true;
}

[[noreturn]] void refuse_memory(const Context& context, const MedianPlan& plan, std::int64_t bytes) {
  throw EnvironmentError(fmt::format(
      "GPU memory: {} of {} takes about {} MiB at least, got {} MiB; wanted more free memory, or device cpu", plan.what,
      to_string(plan.shape), (bytes >> 20U) + 1, cuda::device_memory_budget(context, context.gpu) >> 20U));
}

}  // namespace

bool run_cuda(const Context& context, const MedianPlan& plan, const Image& image, Image& out, Stage& stage) {
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  const cuda::ImageSlabs slabs(plan.type, plan.shape, reach_of(plan));
  const std::int64_t budget = cuda::device_memory_budget(context, context.gpu);
  std::int64_t thickness = slabs.thickness(budget, images_at_once);
  bool looked = plan.type != Type::F32 || plan.nan != NanPolicy::Refuse;
  for (std::int64_t begin = 0; begin < slabs.length();) {
    // Nothing is written where the last slab holds NaN.
    if (thickness < slabs.length() && !looked && !first_nan(image).empty()) return false;
    looked |= thickness < slabs.length();
    const cuda::ImageSlab slab = slabs.at(begin, thickness);
    if (images_at_once * slabs.bytes(slab) > budget) refuse_memory(context, plan, images_at_once * slabs.bytes(slab));
    try {
      if (!run_slab(stream, plan, slabs, slab, image, out)) return false;
    } catch (const cuda::OutOfMemory&) {
      if (thickness == 1) refuse_memory(context, plan, images_at_once * slabs.bytes(slab));
      thickness = (thickness + 1) / 2;
      continue;
    }
    const std::int64_t rows = plan.shape.z > 1 ? plan.shape.y : 1;
    stage.advance((slab.end - slab.begin) * rows * static_cast<std::int64_t>(plan.steps.size()) * plan.iterations);
    begin = slab.end;
  }
  return true;
}

}  // namespace tamis::median_detail
