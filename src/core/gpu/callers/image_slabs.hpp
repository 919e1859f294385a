// Images of the host cut into slabs that a device can hold.
#pragma once

#include <cstdint>
#include <optional>

#include <tamis/element.hpp>
#include <tamis/image.hpp>

#include "core/gpu/device_image.hpp"
#include "core/gpu/staging/transfer.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

/// Slices of an image, or rows where it has one slice: results for [begin, end), from samples of [from, to).
struct ImageSlab {
  std::int64_t from = 0, begin = 0, end = 0, to = 0;
};

/// How an image is cut for a filter whose results depend on samples up to `reach` away. At cut sides a slab has as many
/// more samples, so that borders need no care: what is mirrored at a border lies no farther away on its other side.
/// Without a reach there is one slab.
class ImageSlabs {
 public:
  ImageSlabs(Type type, const Shape& shape, const std::optional<Offset>& reach);

  /// Slices or rows in all.
  [[nodiscard]] std::int64_t length() const { return length_; }
  /// Samples more that a slab has at a cut side.
  [[nodiscard]] std::int64_t reach() const { return reach_; }
  /// Fewest results of a slab.
  [[nodiscard]] std::int64_t least() const { return local_ ? 1 : length_; }
  /// Results of a slab so that `images` images of it fit into `bytes`; fewer than fit where that is many, so that
  /// progress is seen and a stop soon heard. Never less than least().
  [[nodiscard]] std::int64_t thickness(std::int64_t bytes, std::int64_t images) const;
  /// Of the largest slab of this thickness, on the device.
  [[nodiscard]] std::int64_t bytes(std::int64_t thickness) const;
  [[nodiscard]] Shape largest(std::int64_t thickness) const;
  /// Of one slice or row, on the device.
  [[nodiscard]] std::int64_t stored_bytes() const { return stored_bytes_; }
  /// From `begin` on, at most so many results.
  [[nodiscard]] ImageSlab at(std::int64_t begin, std::int64_t thickness) const;
  [[nodiscard]] Shape shape(const ImageSlab& slab) const;
  /// Rows of its results, in all slices.
  [[nodiscard]] std::int64_t rows(const ImageSlab& slab) const { return (slab.end - slab.begin) * rows_; }

  /// Rows on the device, where the slab lies as `image` has it: what it sees, and its results.
  [[nodiscard]] DeviceRows seen(const ImageSlab& slab, const DeviceImage& image) const;
  [[nodiscard]] DeviceRows results(const ImageSlab& slab, const DeviceImage& image) const;
  /// Where those rows lie in images of the host.
  [[nodiscard]] const std::byte* seen(const ImageSlab& slab, const Image& image) const;
  [[nodiscard]] std::byte* results(const ImageSlab& slab, Image& out) const;

  /// Queues copies: what the slab sees, and its results back.
  void fill(const Stream& stream, const ImageSlab& slab, const Image& image, const DeviceStore& store) const;
  void read(const Stream& stream, const ImageSlab& slab, const DeviceStore& store, Image& out) const;

 private:
  Shape shape_;
  bool local_, of_slices_;
  std::int64_t length_;
  std::int64_t reach_;
  std::int64_t rows_;          ///< of a slice, or 1
  std::int64_t row_bytes_;     ///< dense
  std::int64_t stored_bytes_;  ///< of a slice or row on the device
};

}  // namespace tamis::cuda
