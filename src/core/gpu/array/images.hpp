// Arrays of others on a GPU as the kernels want images: where they lie if their rows allow it, otherwise by copies.
#pragma once

#include <cstdint>
#include <string_view>

#include <tamis/gpu/array.hpp>

#include "core/gpu/device_image.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

/// Whether their first to last bytes meet.
[[nodiscard]] bool overlap(const GpuArray& a, const GpuArray& b);

/// An array to read.
class ArrayInput {
 public:
  ArrayInput(const Stream& stream, const GpuArray& array);
  [[nodiscard]] const DeviceImage& get() const { return image_; }

 private:
  DeviceStore store_;
  DeviceImage image_;
};

/// Where a result is made, and how it comes to the caller's array.
class ArrayResult {
 public:
  /// `apart`: the array overlaps the input, which is still read, so the result is made elsewhere and copied.
  ArrayResult(const Stream& stream, const GpuOutput& array, bool apart);
  [[nodiscard]] const DeviceImage& get() const { return image_; }
  void deliver() const;

 private:
  const Stream& stream_;
  const GpuOutput& array_;
  DeviceStore store_;
  DeviceImage image_;
};

/// Throws InputError unless the result of a filter of `image` can go there.
void require_result(const GpuArray& image, const GpuOutput& out);

/// Bytes of one image as DeviceStore has it.
[[nodiscard]] std::int64_t stored_bytes(const GpuArray& image);

/// Throws ResourceError: the GPU has no memory for an operation that may take so many bytes beside its arrays.
[[noreturn]] void refuse_memory(const Context& context, std::string_view what, const GpuArray& image,
                                std::int64_t bytes);

}  // namespace tamis::cuda
