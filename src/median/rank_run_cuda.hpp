// A step, and a whole plan, on the device: which kernels, prepared once and queued as often as wanted.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "median/device_runs.hpp"
#include "median/gpu_step.hpp"

namespace tamis::median_detail {

class RankRun {
 public:
  RankRun(const cuda::Stream& stream, const RankStep& rank, Type type, const Shape& shape, bool around_nan);
  /// Queues it. `nan` is for steps that look for NaN: it becomes 1 if there is some.
  void run(const GpuImages& images) const;
  [[nodiscard]] std::int64_t workspace_bytes() const;
  /// Whether kernels that read the image anyway can say if it holds NaN.
  [[nodiscard]] bool looks_for_nan() const { return looks_for_nan_; }

 private:
  std::optional<DeviceRunList> runs_;  ///< for ways that read it
  std::vector<std::unique_ptr<GpuWay>> ways_;
  bool looks_for_nan_ = false;
};

/// All steps and iterations, from image to image. Memory: an image between where there is more than one step, and the
/// workspace of the steps.
class PlanRun {
 public:
  PlanRun(const cuda::Stream& stream, const MedianPlan& plan, bool around_nan);
  /// As of RankRun; the first step looks.
  void run(const cuda::DeviceImage& from, const cuda::DeviceImage& to, unsigned* nan = nullptr) const;
  [[nodiscard]] bool looks_for_nan() const { return !steps_.empty() && steps_.front().looks_for_nan(); }

 private:
  const cuda::Stream& stream_;
  std::vector<RankRun> steps_;
  std::int64_t iterations_;
  std::int64_t bytes_;
  cuda::DeviceStore between_;
  cuda::DeviceBuffer<std::byte> workspace_;
};

/// Queues a plan once, on an image of which it is not known whether it holds NaN: of F32 it waits until it is. False if
/// there is some that is refused; `to` is of no use then. Kernels that look by themselves save a search.
[[nodiscard]] bool run_once(const cuda::Stream& stream, const MedianPlan& plan, const cuda::DeviceImage& from,
                            const cuda::DeviceImage& to);

}  // namespace tamis::median_detail
