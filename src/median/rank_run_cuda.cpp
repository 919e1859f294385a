#include "median/rank_run_cuda.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "median/histogram_cuda.hpp"
#include "median/majority_cuda.hpp"
#include "median/network_cuda.hpp"
#include "median/ordinal_cuda.hpp"
#include "median/select_cuda.hpp"

namespace tamis::median_detail {

namespace {

/// Networks and ordinals count along axes in 32 bits, and twice an axis where the border reflects.
bool has_short_axes(const Shape& shape) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  return std::max({shape.x, shape.y, shape.z}) <= most;
}

}  // namespace

std::uint32_t outside_bits(Type type, const Border& border) {
  if (border.kind != Border::Kind::Constant) return 0;
  if (type == Type::F32) return std::bit_cast<std::uint32_t>(static_cast<float>(border.value));
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(border.value));
}

RankRun::RankRun(const cuda::Stream& stream, RankStep step, Type type, const Shape& shape, bool around_nan)
    : stream_(stream), step_(std::move(step)), runs_(stream, step_.window) {
  task_.type = type;
  task_.shape = shape;
  task_.border = step_.border;
  task_.around_nan = around_nan && type == Type::F32;
}

bool RankRun::by_network() const {
  return !task_.around_nan && has_short_axes(task_.shape) && network_cuda_can(step_, task_.type);
}

bool RankRun::looks_for_nan() const { return task_.type == Type::F32 && by_network(); }

void RankRun::run(const cuda::DeviceImage& from, const cuda::DeviceImage& to, unsigned* nan) const {
  GpuStep task = task_;
  task.from = from;
  task.to = to;
  task.nan = nan;
  if (task.type == Type::Bool) return majority_cuda(stream_, step_, runs_, task);
  if (by_network() || task.type == Type::U8) {
    GpuStep whole = task;
    if (step_.shrinks()) whole.border = Border::reflect();
    if (by_network()) {
      network_cuda(stream_, step_, whole);
    } else {
      histogram_cuda(stream_, step_, runs_, whole);
    }
    if (!step_.shrinks()) return;
    task.frame_only = true;
  }
  if (has_short_axes(task.shape) && ordinal_cuda_can(stream_, step_, runs_, task)) {
    return ordinal_cuda(stream_, step_, runs_, task);
  }
  select_cuda(stream_, step_, runs_, task);
}

PlanRun::PlanRun(const cuda::Stream& stream, const MedianPlan& plan, bool around_nan)
    : stream_(stream),
      iterations_(plan.iterations),
      bytes_(cuda::DeviceStore::layout(plan.type, plan.shape).slice * plan.shape.z) {
  steps_.reserve(plan.steps.size());
  for (const RankStep& step : plan.steps) steps_.emplace_back(stream, step, plan.type, plan.shape, around_nan);
  const bool many = plan.steps.size() > 1 || (plan.iterations > 1 && !plan.steps.empty());
  if (many) between_ = cuda::DeviceStore(stream, plan.type, plan.shape);
}

void PlanRun::run(const cuda::DeviceImage& from, const cuda::DeviceImage& to, unsigned* nan) const {
  if (steps_.empty()) {
    cuda::check(cudaMemcpyAsync(to.data, from.data, static_cast<std::size_t>(bytes_), cudaMemcpyDefault, stream_.get()),
                "copy an image");
    return;
  }
  auto left = static_cast<std::int64_t>(steps_.size()) * iterations_;
  cuda::DeviceImage now = from;
  for (std::int64_t i = 0; i < iterations_; ++i) {
    for (const RankRun& step : steps_) {
      const cuda::DeviceImage& next = left-- % 2 == 1 ? to : between_.get();
      step.run(now, next, nan);
      now = next;
      nan = nullptr;  // only the image's
    }
  }
}

}  // namespace tamis::median_detail
