// For tests of what runs GPU filters: a filter without kernels, whose results anybody can compute.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>

#include <tamis/image.hpp>

#include "core/gpu/filter.hpp"

namespace tamis::host_testing {

/// Slices of an image, or rows where it has one slice, each with the samples of the one `by` farther on; those at the
/// end keep the last one's.
class MovedRows : public cuda::DeviceFilter {
 public:
  MovedRows(const cuda::Stream& stream, Type type, const Shape& shape, std::int64_t by)
      : stream_(stream),
        layout_(cuda::DeviceStore::layout(type, shape)),
        unit_(shape.z > 1 ? layout_.slice : layout_.pitch),
        length_(shape.z > 1 ? shape.z : shape.y),
        by_(by) {}

  void run(const cuda::DeviceImage& image, const cuda::DeviceImage& out, unsigned*) const override {
    const std::int64_t moved = std::max<std::int64_t>(length_ - by_, 0);
    if (moved > 0) copy(out.data, image.data + by_ * unit_, moved * unit_);
    for (std::int64_t i = moved; i < length_; ++i) {
      copy(out.data + i * unit_, image.data + (length_ - 1) * unit_, unit_);
    }
  }

 private:
  void copy(std::byte* to, const std::byte* from, std::int64_t bytes) const {
    cuda::check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream_.get()),
                "move");
  }

  const cuda::Stream& stream_;
  cuda::DeviceImage layout_;
  std::int64_t unit_, length_, by_;
};

/// `before_made` is called whenever the filter is made, for a slab of this shape.
inline cuda::GpuFilter moved_rows(Type type, const Shape& shape, std::int64_t by,
                                  std::function<void(const Shape&)> before_made = {}) {
  cuda::GpuFilter filter{.what = "move", .type = type, .shape = shape, .reach = Offset{by, by, 0}};
  filter.make = [=](const cuda::Stream& stream, const Shape& of, bool) {
    if (before_made) before_made(of);
    return std::make_unique<MovedRows>(stream, type, of, by);
  };
  return filter;
}

/// What the filter makes of an image.
inline Image with_moved_rows(const Image& image, std::int64_t by) {
  Image out(image.type(), image.shape(), image.spacing);
  const Shape& shape = image.shape();
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const std::int64_t from_z = shape.z > 1 ? std::min(z + by, shape.z - 1) : z;
      const std::int64_t from_y = shape.z > 1 ? y : std::min(y + by, shape.y - 1);
      std::memcpy(out.row<std::byte>(z, y), image.row<std::byte>(from_z, from_y),
                  static_cast<std::size_t>(image.row_bytes()));
    }
  }
  return out;
}

}  // namespace tamis::host_testing
