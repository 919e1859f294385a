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
};

/// What boxes may come to.
struct BoxLimits {
  double share = 0;               ///< of the volume
  std::int64_t device_bytes = 0;  ///< 0: what there is
};

class LargeSizes {
 public:
  explicit LargeSizes(const cuda::Stream& stream);

  /// Finds the boxes, takes the memory for them and queues their cutting out. False where they come to more than the
  /// limits. Waits for the device.
  bool find(const CutOff& cut_off, const BoxLimits& limits);
  /// Queues their granulometry.
  void open();

  [[nodiscard]] std::int64_t boxes() const { return static_cast<std::int64_t>(found_.boxes.size()); }
  /// A bound of the distances.
  [[nodiscard]] std::int64_t bound() const { return found_.largest; }

  // What follows is there once the stream was waited for.

  [[nodiscard]] std::int64_t largest() const { return run_->largest(); }
  /// Puts the sizes of `top` and more in the place of those of `top`, the last, in counts of the whole volume.
  void complete(std::vector<std::int64_t>& counts) const;

 private:
  [[nodiscard]] std::vector<TopRun> find_runs(const CutOff& cut_off);
  [[nodiscard]] bool within(const BoxLimits& limits, const Windows& volume) const;
  void cut(const CutOff& cut_off);

  const cuda::Stream& stream_;
  cuda::DeviceBuffer<TopRuns> runs_;
  cuda::PinnedBuffer<TopRuns> host_runs_;
  LargeBoxes found_;
  Windows stacked_;  ///< what the buffer and the run are for
  cuda::DeviceBuffer<std::uint64_t> bits_;
  std::unique_ptr<WindowRun> run_;
};

}  // namespace tamis::granulometry_detail::gpu
