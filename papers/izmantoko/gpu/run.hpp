// Erosions, dilations, openings and closings of an image in device memory, by the paper's kernels or others.
#pragma once

#include <functional>
#include <string_view>

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "papers/izmantoko/gpu/kernels.hpp"

namespace tamis::izmantoko::gpu {

/// An image of bytes on the device and room for its results; slices are images of their own.
class DeviceImage {
 public:
  using Memory = cuda::DeviceBuffer<std::uint8_t>;
  /// Queues an erosion, or a dilation.
  using Step = std::function<void(bool erodes, const Memory& from, const Memory& to)>;

  DeviceImage(const cuda::Stream& stream, const Image& image);

  /// Queues Erode, Dilate, Open or Close.
  void filter(Operation operation, const Step& step) const;
  /// The step of one of the paper's kernels, of one image of bytes 0 and 1.
  [[nodiscard]] Step by(Kernel kernel, int radius) const;
  /// The result of what was queued last.
  [[nodiscard]] Image result() const;
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::int64_t pitch() const { return pitch_; }

 private:
  void copy(void* to, std::int64_t to_pitch, const void* from, std::int64_t from_pitch) const;

  const cuda::Stream& stream_;
  Shape shape_;
  std::int64_t pitch_;
  Memory input_, between_, output_;
};

/// Throws InputError for a word that is none, and for a radius that the kernel lacks.
[[nodiscard]] Kernel kernel_of(std::string_view word, int radius);

}  // namespace tamis::izmantoko::gpu
