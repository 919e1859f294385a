#include "median/rank_run_cuda.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/cuda/find_nan.hpp"
#include "median/bucket_cuda.hpp"
#include "median/histogram_cuda.hpp"
#include "median/majority_cuda.hpp"
#include "median/network_cuda.hpp"
#include "median/ordinal_cuda.hpp"

namespace tamis::median_detail {

namespace {

/// Networks and ordinals count along axes in 32 bits, and twice an axis where the border reflects.
bool has_short_axes(const Shape& shape) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  return std::max({shape.x, shape.y, shape.z}) <= most;
}

/// Null if there is none.
std::unique_ptr<GpuWay> network_way(const cuda::Stream& stream, const GpuStep& step) {
  return !step.around_nan && has_short_axes(step.shape) ? network_cuda(stream, step) : nullptr;
}

/// Any window, rank and border. Null for a frame that would take as long as the whole image.
std::unique_ptr<GpuWay> general_way(const cuda::Stream& stream, const GpuStep& step, const DeviceRunList& runs) {
  const auto ordinals = has_short_axes(step.shape) ? ordinal_tile(stream, step, runs) : std::nullopt;
  const auto buckets = choose_gpu_bucket_tile(step.rank.window, runs.changes(), step.shape);
  if (ordinals && (step.frame_only || !buckets || ordinals->picoseconds <= buckets->picoseconds)) {
    return ordinal_cuda(stream, step, runs, *ordinals);
  }
  if (step.frame_only) return nullptr;
  if (buckets) return bucket_cuda(stream, step, runs, *buckets);
  throw InputError(
      fmt::format("median: a window of {} samples is more than a GPU can do; wanted a smaller one, or "
                  "device cpu",
                  step.rank.count));
}

}  // namespace

std::uint32_t outside_bits(Type type, const Border& border) {
  if (border.kind != Border::Kind::Constant) return 0;
  if (type == Type::F32) return std::bit_cast<std::uint32_t>(static_cast<float>(border.value));
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(border.value));
}

RankRun::RankRun(const cuda::Stream& stream, const RankStep& rank, Type type, const Shape& shape, bool around_nan) {
  GpuStep step{rank, type, shape, rank.border, around_nan && type == Type::F32};
  // Where windows shrink, what knows only whole ones does the image under another border, and the frame follows.
  GpuStep whole = step;
  if (rank.shrinks()) whole.border = Border::reflect();
  if (auto network = network_way(stream, whole)) {
    ways_.push_back(std::move(network));
    looks_for_nan_ = type == Type::F32;
    if (!rank.shrinks()) return;
  }
  runs_.emplace(stream, rank.window);
  if (type == Type::Bool) {
    ways_.push_back(majority_cuda(stream, step, *runs_));
    return;
  }
  if (ways_.empty() && type == Type::U8) {
    ways_.push_back(histogram_cuda(stream, whole, *runs_));
    if (!rank.shrinks()) return;
  }
  step.frame_only = !ways_.empty();
  std::unique_ptr<GpuWay> way = general_way(stream, step, *runs_);
  if (!way) {
    ways_.clear();
    step.frame_only = looks_for_nan_ = false;
    way = general_way(stream, step, *runs_);
  }
  ways_.push_back(std::move(way));
}

void RankRun::run(const GpuImages& images) const {
  for (const auto& way : ways_) way->run(images);
}

std::int64_t RankRun::workspace_bytes() const {
  std::int64_t most = 0;
  for (const auto& way : ways_) most = std::max(most, way->workspace_bytes());
  return most;
}

PlanRun::PlanRun(const cuda::Stream& stream, const MedianPlan& plan, bool around_nan)
    : stream_(stream),
      iterations_(plan.iterations),
      bytes_(cuda::DeviceStore::layout(plan.type, plan.shape).slice * plan.shape.z) {
  steps_.reserve(plan.steps.size());
  std::int64_t workspace = 0;
  for (const RankStep& step : plan.steps) {
    steps_.emplace_back(stream, step, plan.type, plan.shape, around_nan);
    workspace = std::max(workspace, steps_.back().workspace_bytes());
  }
  const bool many = plan.steps.size() > 1 || (plan.iterations > 1 && !plan.steps.empty());
  if (many) between_ = cuda::DeviceStore(stream, plan.type, plan.shape);
  if (workspace > 0) workspace_ = cuda::DeviceBuffer<std::byte>(stream, workspace);
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
      step.run({now, next, nan, workspace_.data()});
      now = next;
      nan = nullptr;  // only the image's
    }
  }
}

bool run_once(const cuda::Stream& stream, const MedianPlan& plan, const cuda::DeviceImage& from,
              const cuda::DeviceImage& to) {
  std::optional<PlanRun> run(std::in_place, stream, plan, false);
  if (plan.type != Type::F32) {
    run->run(from, to);
    return true;
  }
  const bool by_itself = run->looks_for_nan(), ignores = plan.nan == NanPolicy::Ignore;
  // Begins before it is known whether there is NaN, unless much may have been done for nothing.
  const bool at_once = by_itself || !ignores;
  const cuda::NanSearch search(stream);
  if (!by_itself) search.look_at(from, plan.shape);
  if (at_once) run->run(from, to, by_itself ? search.flag() : nullptr);
  const bool found = search.found();
  if (found && !ignores) return false;
  if (found) run.emplace(stream, plan, true);
  if (found || !at_once) run->run(from, to);
  return true;
}

}  // namespace tamis::median_detail
