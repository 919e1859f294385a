// Images on the device with a copy of what windows see beside them, so that kernels know no borders.
#pragma once

#include <cstdint>

#include "median/gpu_step.hpp"

namespace tamis::median_detail {

/// Bytes, or packed bits, of an image and around it. Byte 0 of slice 0 and row 0 is `origin`, at a multiple of 16.
class PaddedImage {
 public:
  /// Queues the copy: of U8 images bytes, of Bool images bits. Neutral shows 0. `inside`: instead of samples, 1 where
  /// there are some (Bool).
  PaddedImage(const cuda::Stream& stream, const GpuStep& task, const OffsetBox& window, bool inside = false);

  [[nodiscard]] const std::byte* origin() const { return origin_; }
  [[nodiscard]] std::int64_t pitch() const { return pitch_; }
  [[nodiscard]] std::int64_t slice() const { return slice_; }

 private:
  cuda::DeviceBuffer<std::byte> memory_;
  std::byte* origin_ = nullptr;
  std::int64_t pitch_ = 0, slice_ = 0;
};

}  // namespace tamis::median_detail
