#include "core/gpu/callers/image_slabs.hpp"

#include <algorithm>

namespace tamis::cuda {

ImageSlabs::ImageSlabs(Type type, const Shape& shape, const std::optional<Offset>& reach)
    : shape_(shape),
      local_(reach.has_value()),
      of_slices_(shape.z > 1),
      length_(of_slices_ ? shape.z : shape.y),
      reach_(!reach       ? length_
             : of_slices_ ? reach->z
                          : reach->y),
      rows_(of_slices_ ? shape.y : 1),
      row_bytes_(dense_row_bytes(type, shape.x)),
      stored_bytes_(DeviceStore::layout(type, shape).pitch * rows_) {}

std::int64_t ImageSlabs::thickness(std::int64_t bytes, std::int64_t images) const {
  constexpr std::int64_t comfortable_bytes = std::int64_t{4} << 30, least_of_reach = 8;
  const std::int64_t comfortable = std::max(comfortable_bytes / stored_bytes_, least_of_reach * reach_);
  std::int64_t fitting = bytes / (images * stored_bytes_);
  if (fitting < length_) fitting -= 2 * reach_;  // cut sides
  return std::clamp(std::min(comfortable, fitting), least(), length_);
}

std::int64_t ImageSlabs::bytes(std::int64_t thickness) const {
  return std::min(thickness + 2 * reach_, length_) * stored_bytes_;
}

Shape ImageSlabs::largest(std::int64_t thickness) const {
  return shape({0, 0, 0, std::min(thickness + 2 * reach_, length_)});
}

ImageSlab ImageSlabs::at(std::int64_t begin, std::int64_t thickness) const {
  const std::int64_t end = std::min(begin + thickness, length_);
  return {std::max<std::int64_t>(begin - reach_, 0), begin, end, std::min(end + reach_, length_)};
}

Shape ImageSlabs::shape(const ImageSlab& slab) const {
  Shape shape = shape_;
  (of_slices_ ? shape.z : shape.y) = slab.to - slab.from;
  return shape;
}

DeviceRows ImageSlabs::seen(const ImageSlab& slab, const DeviceImage& image) const {
  return {image.data, image.pitch, row_bytes_, (slab.to - slab.from) * rows_};
}

DeviceRows ImageSlabs::results(const ImageSlab& slab, const DeviceImage& image) const {
  return {image.data + (slab.begin - slab.from) * rows_ * image.pitch, image.pitch, row_bytes_, rows(slab)};
}

const std::byte* ImageSlabs::seen(const ImageSlab& slab, const Image& image) const {
  return image.data() + slab.from * rows_ * row_bytes_;
}

std::byte* ImageSlabs::results(const ImageSlab& slab, Image& out) const {
  return out.data() + slab.begin * rows_ * row_bytes_;
}

void ImageSlabs::fill(const Stream& stream, const ImageSlab& slab, const Image& image, const DeviceStore& store) const {
  store.fill(stream, seen(slab, image));
}

void ImageSlabs::read(const Stream& stream, const ImageSlab& slab, const DeviceStore& store, Image& out) const {
  store.read_rows(stream, (slab.begin - slab.from) * rows_, rows(slab), results(slab, out));
}

}  // namespace tamis::cuda
