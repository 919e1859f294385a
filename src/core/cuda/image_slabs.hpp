// Images of the host cut into slabs that a device can hold.
#pragma once

#include <cstdint>

#include <tamis/element.hpp>
#include <tamis/image.hpp>

#include "core/cuda/device_image.hpp"
#include "core/cuda/stream.hpp"

namespace tamis::cuda {

/// Slices of an image, or rows where it has one slice: results for [begin, end), from samples of [from, to).
struct ImageSlab {
  std::int64_t from = 0, begin = 0, end = 0, to = 0;
};

/// How an image is cut for a filter whose results see samples of the box `reach` around them. At cut sides a slab has
/// as many more samples as its results see, so that borders need no care.
class ImageSlabs {
 public:
  ImageSlabs(Type type, const Shape& shape, const OffsetBox& reach);

  /// Slices or rows in all.
  [[nodiscard]] std::int64_t length() const { return length_; }
  /// Results of a slab so that `images` images of it fit into `bytes`; fewer than fit where that is many, so that
  /// progress is seen and a stop soon heard. At least 1.
  [[nodiscard]] std::int64_t thickness(std::int64_t bytes, std::int64_t images) const;
  /// From `begin` on, at most so many results.
  [[nodiscard]] ImageSlab at(std::int64_t begin, std::int64_t thickness) const;
  [[nodiscard]] Shape shape(const ImageSlab& slab) const;
  /// On the device.
  [[nodiscard]] std::int64_t bytes(const ImageSlab& slab) const { return (slab.to - slab.from) * stored_bytes_; }

  /// Queues copies: what the slab sees, and its results back.
  void fill(const Stream& stream, const ImageSlab& slab, const Image& image, const DeviceStore& store) const;
  void read(const Stream& stream, const ImageSlab& slab, const DeviceStore& store, Image& out) const;

 private:
  Shape shape_;
  bool of_slices_;
  std::int64_t length_;
  std::int64_t reach_;  ///< to both sides: what a window sees beyond the image may be mirrored to the other side of it
  std::int64_t rows_;   ///< of a slice, or 1
  std::int64_t stored_bytes_;  ///< of a slice or row on the device
};

}  // namespace tamis::cuda
