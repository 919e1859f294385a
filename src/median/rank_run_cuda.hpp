// A step, and a whole plan, on the device: which kernel, prepared once and queued as often as wanted.
#pragma once

#include <string>
#include <vector>

#include "median/device_runs.hpp"
#include "median/gpu_step.hpp"

namespace tamis::median_detail {

class RankRun {
 public:
  RankRun(const cuda::Stream& stream, RankStep step, Type type, const Shape& shape, bool around_nan);
  /// Queues it. The images are not the same. `nan` is for steps that look for NaN: it becomes 1 if there is some.
  void run(const cuda::DeviceImage& from, const cuda::DeviceImage& to, unsigned* nan = nullptr) const;
  /// Whether kernels that read the image anyway can say if it holds NaN.
  [[nodiscard]] bool looks_for_nan() const;

 private:
  [[nodiscard]] bool by_network() const;

  const cuda::Stream& stream_;
  RankStep step_;
  GpuStep task_;
  DeviceRunList runs_;
};

/// All steps and iterations, from image to image. Memory: an image between where there is more than one step.
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
};

}  // namespace tamis::median_detail
