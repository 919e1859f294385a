// Images on a device: how they lie, and those that own memory of a stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"

namespace tamis::cuda {

/// Rows of samples on the device. Rows begin at multiples of 16 bytes and have as many allocated.
struct DeviceImage {
  std::byte* data = nullptr;
  std::int64_t pitch = 0;  ///< bytes from a row to the next
  std::int64_t slice = 0;  ///< bytes from a slice to the next
};

/// Bytes of a row as it lies in an Image: bool is packed.
[[nodiscard]] inline std::int64_t dense_row_bytes(Type type, std::int64_t columns) {
  return type == Type::Bool ? (columns + 63) / 64 * 8 : columns * sample_bytes(type);
}

/// An image on the device, rows at multiples of 16 bytes, slices without gaps. Kernels read whole words of a row and
/// leave out what lies behind its samples; that is zeros, so that a checker which finds bytes that nothing wrote has
/// found a fault.
class DeviceStore {
 public:
  DeviceStore() = default;
  DeviceStore(const Stream& stream, Type type, const Shape& shape)
      : rows_(shape.y * shape.z), row_bytes_(dense_row_bytes(type, shape.x)), image_(layout(type, shape)) {
    memory_ = DeviceBuffer<std::byte>(stream, image_.pitch * rows_);
    image_.data = memory_.data();
    clear_padding(stream);
  }

  /// How such an image lies, wherever.
  [[nodiscard]] static DeviceImage layout(Type type, const Shape& shape) {
    constexpr std::int64_t alignment = 16;
    DeviceImage image;
    image.pitch = (dense_row_bytes(type, shape.x) + alignment - 1) / alignment * alignment;
    image.slice = image.pitch * shape.y;
    return image;
  }

  [[nodiscard]] bool empty() const { return image_.data == nullptr; }
  [[nodiscard]] const DeviceImage& get() const { return image_; }

  /// Queues a copy of an image whose rows are `pitch` bytes apart (0: dense), on the host or on the device.
  void fill(const Stream& stream, const void* from, std::int64_t pitch = 0) const {
    copy(stream, image_.data, image_.pitch, from, pitch > 0 ? pitch : row_bytes_, rows_);
  }
  /// The other way.
  void read(const Stream& stream, void* to, std::int64_t pitch = 0) const {
    copy(stream, to, pitch > 0 ? pitch : row_bytes_, image_.data, image_.pitch, rows_);
  }
  /// Some of its rows, counted through all slices, to dense ones.
  void read_rows(const Stream& stream, std::int64_t first, std::int64_t count, void* to) const {
    copy(stream, to, row_bytes_, image_.data + first * image_.pitch, image_.pitch, count);
  }

 private:
  void copy(const Stream& stream, void* to, std::int64_t to_pitch, const void* from, std::int64_t from_pitch,
            std::int64_t rows) const {
    check(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch), from, static_cast<std::size_t>(from_pitch),
                            static_cast<std::size_t>(row_bytes_), static_cast<std::size_t>(rows), cudaMemcpyDefault,
                            stream.get()),
          "copy an image");
  }

  void clear_padding(const Stream& stream) const {
    if (image_.pitch == row_bytes_) return;
    check(cudaMemset2DAsync(image_.data + row_bytes_, static_cast<std::size_t>(image_.pitch), 0,
                            static_cast<std::size_t>(image_.pitch - row_bytes_), static_cast<std::size_t>(rows_),
                            stream.get()),
          "clear the padding of rows");
  }

  std::int64_t rows_ = 0, row_bytes_ = 0;
  DeviceImage image_;
  DeviceBuffer<std::byte> memory_;
};

}  // namespace tamis::cuda
