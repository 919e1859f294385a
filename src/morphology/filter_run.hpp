// A filter on the device, from image to image, with all that lies between: prepared once, queued as often as wanted.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/image.hpp>

#include "core/cuda/device_image.hpp"
#include "core/cuda/stream.hpp"
#include "morphology/filter_plan.hpp"
#include "morphology/gpu_array_kernels.hpp"
#include "morphology/plan_moves_cuda.hpp"

namespace tamis::morphology_detail {

class FilterRun {
 public:
  /// `around_nan`: F32 images are filtered step by step so that NaN is left out; otherwise they must hold none. Memory:
  /// at most two images, around NaN three more.
  FilterRun(const cuda::Stream& stream, FilterPlan plan, Type type, const Shape& shape, bool around_nan);
  FilterRun(const FilterRun&) = delete;
  FilterRun& operator=(const FilterRun&) = delete;

  /// Queues the filter on the stream. Both images lie as DeviceStore has them, and are not the same. Nothing waits;
  /// steps in several passes take their memory from the stream's pool and give it back. `nan` is for filters that
  /// looks_for_nan(): it becomes 1 if the image holds some, and otherwise stays as it is.
  void run(const DeviceImage& image, const DeviceImage& out, unsigned* nan = nullptr) const;

  /// Whether kernels that read the image anyway can say if it holds NaN, so that no other has to.
  [[nodiscard]] bool looks_for_nan() const;

  [[nodiscard]] const FilterPlan& plan() const { return plan_; }

 private:
  /// A step on bits and on samples.
  struct NanStep {
    Order order = Order::Min;
    std::vector<Move> moves;
    Plan spread_nan, spread_numbers;  ///< one step, by which set bits are seen
    std::vector<Move> nan_moves, number_moves;
  };
  struct Half {
    std::vector<Move> moves;
    std::vector<NanStep> steps;  ///< around NaN
  };

  [[nodiscard]] Half half_of(const Plan& plan) const;
  [[nodiscard]] static Plan seen_by(const Step& step, const Plan& plan, bool outside);
  void run_half(const Half& half, const DeviceImage& image, const DeviceImage& out, unsigned* nan) const;
  void run_around_nan(const Half& half, const DeviceImage& image, const DeviceImage& out) const;
  void run_nan_step(const NanStep& step, const DeviceImage& from, const DeviceImage& to) const;

  const cuda::Stream& stream_;
  FilterPlan plan_;
  Type type_;
  Shape shape_;
  bool around_nan_;
  std::int64_t bytes_;
  Half first_, second_;
  DeviceStore before_, other_;          ///< what the first plan gives; between moves
  DeviceStore parted_, inner_;          ///< around NaN: the image without it; within a step
  DeviceStore bits_[2], seen_bits_[2];  ///< where NaN is and where numbers are; where they are seen
  DeviceStore inner_bits_;
};

}  // namespace tamis::morphology_detail
