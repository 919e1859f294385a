// Arrays of any strides: copies, and packed bits and back.
#pragma once

#include <cstdint>

#include <tamis/gpu/array.hpp>

#include "core/gpu/device_image.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

// Arrays of bytes on a GPU as packed bits, and back to rows that lie densely.

/// Bits in device memory, rows as in an Image of type Bool. One slice may stand for all.
struct DeviceBits {
  DeviceBuffer<std::uint64_t> words;
  std::int64_t words_of_row = 0;
  std::int64_t slices = 0;

  DeviceBits() = default;
  DeviceBits(const Stream& stream, const Shape& shape)
      : words(stream, shape.z * shape.y * ((shape.x + 63) / 64)), words_of_row((shape.x + 63) / 64), slices(shape.z) {}
  [[nodiscard]] bool empty() const { return words.data() == nullptr; }
};

/// Queues the packing of samples of one byte, where not 0 is 1, whatever the strides. With `inside`, which may be
/// empty, what is not in there is 0. `ones`, if any, grows by the bits that are 1.
[[nodiscard]] DeviceBits pack_array(const Stream& stream, const GpuArray& array, const DeviceBits& inside,
                                    unsigned long long* ones = nullptr);

/// Queues bits that are all 1: one slice of the shape, for all.
[[nodiscard]] DeviceBits whole_bits(const Stream& stream, const Shape& shape);

/// Copies samples to an array of the same type and shape.
void copy_samples(const Stream& stream, const GpuArray& from, const GpuOutput& to);

/// Packed bits to bytes that are 0 or 1.
void unpack_bits(const Stream& stream, const DeviceImage& bits, const GpuOutput& to);

}  // namespace tamis::cuda
