// Images on the device with a copy of what windows see beside them, so that kernels know no borders.
#pragma once

#include <cstddef>
#include <cstdint>

#include "median/gpu/step.hpp"

namespace tamis::median_detail::gpu {

/// How bytes, or packed bits, of an image and around it lie. Byte 0 of slice 0 and row 0 is the origin, at a multiple
/// of 16.
class Padding {
 public:
  /// Of what the step's windows see: of U8 images bytes, of Bool images bits. Neutral shows 0.
  Padding(const cuda::Stream& stream, const Step& step);

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t pitch() const { return pitch_; }
  [[nodiscard]] std::int64_t slice() const { return slice_; }
  /// Of a copy that begins at `memory`.
  [[nodiscard]] const std::byte* origin(const std::byte* memory) const { return memory + origin_; }

  /// Queues the copy of an image.
  void fill(const cuda::DeviceImage& from, std::byte* memory) const;
  /// Instead of samples 1 where there are some (Bool).
  void fill_inside(std::byte* memory) const;

 private:
  void fill(const cuda::DeviceImage& from, bool inside, std::byte* memory) const;

  const cuda::Stream& stream_;
  Type type_;
  Shape shape_;
  Border border_;
  std::int64_t low_z_, low_y_;  ///< of the first row
  std::int64_t left_;           ///< bytes before byte 0 of a row
  std::int64_t pitch_, ny_, rows_, slice_;
  std::int64_t origin_, bytes_;
};

}  // namespace tamis::median_detail::gpu
