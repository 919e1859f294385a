// The sizes that the planes of a run do not hold, in boxes of its volume (boxes.hpp says why that is enough).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/distance/erosions.hpp"
#include "granulometry/gpu/large/boxes.hpp"
#include "granulometry/gpu/large/kernels.hpp"
#include "granulometry/gpu/window_run.hpp"

namespace tamis::granulometry_detail::gpu {

/// What a run whose planes did not suffice has found.
struct CutOff {
  Windows windows;
  BitImage object;
  const std::uint16_t* peaks = nullptr;  ///< of numbers cut off at `top`
  std::int64_t top = 0;
  std::int64_t cap = 0;  ///< distances above count as this; 0: none
  CountedSlices counted;
};

/// What boxes may come to.
struct BoxLimits {
  double share = 0;               ///< of the volume
  std::int64_t device_bytes = 0;  ///< 0: what there is
};

/// The granulometry of a stack of boxes.
class StackRun {
 public:
  StackRun(const cuda::Stream& stream, const BoxStack& stack);

  /// Takes another stack, in the same memory if it has the same shape. Otherwise it gives the memory back.
  void take(const BoxStack& stack);
  /// Takes the memory that it does not have, and queues the cutting out and the sizes. No distance exceeds `largest`.
  void run(const CutOff& cut_off, std::int64_t largest);

  // What follows is there once the stream was waited for.

  [[nodiscard]] std::int64_t largest() const { return run_->largest(); }
  /// Of the stack's counted slices.
  [[nodiscard]] std::vector<std::int64_t> counts() const { return run_->counts(); }

 private:
  void cut(const CutOff& cut_off);

  const cuda::Stream& stream_;
  BoxStack stack_;
  Windows shape_;
  cuda::DeviceBuffer<std::uint64_t> bits_;
  std::unique_ptr<WindowRun> run_;
};

class LargeSizes {
 public:
  explicit LargeSizes(const cuda::Stream& stream);

  /// Finds the boxes, which may be none, and queues all that is to be done with them. False where they come to more
  /// than the limits. Waits for the device to learn where they are.
  bool run(const CutOff& cut_off, const BoxLimits& limits);

  [[nodiscard]] std::int64_t boxes() const { return static_cast<std::int64_t>(found_.boxes.size()); }
  /// A bound of the distances.
  [[nodiscard]] std::int64_t bound() const { return found_.largest; }

  // What follows is there once the stream was waited for.

  [[nodiscard]] std::int64_t largest() const;
  /// Puts the sizes of `top` and more in the place of those of `top`, the last, in counts of the counted slices.
  void complete(std::vector<std::int64_t>& counts) const;

 private:
  [[nodiscard]] bool find_runs(const CutOff& cut_off);
  void take(const std::vector<BoxStack>& stacks);

  const cuda::Stream& stream_;
  cuda::DeviceBuffer<TopRuns> runs_;
  cuda::PinnedBuffer<TopRuns> host_runs_;
  LargeBoxes found_;
  std::vector<std::unique_ptr<StackRun>> stacks_;
};

}  // namespace tamis::granulometry_detail::gpu
