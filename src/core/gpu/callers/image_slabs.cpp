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

ImageSlab ImageSlabs::at(std::int64_t begin, std::int64_t thickness) const {
  const std::int64_t end = std::min(begin + thickness, length_);
  return {std::max<std::int64_t>(begin - reach_, 0), begin, end, std::min(end + reach_, length_)};
}

Shape ImageSlabs::shape(const ImageSlab& slab) const {
  Shape shape = shape_;
  (of_slices_ ? shape.z : shape.y) = slab.to - slab.from;
  return shape;
}

void ImageSlabs::fill(const Stream& stream, const ImageSlab& slab, const Image& image, const DeviceStore& store) const {
  store.fill(stream, image.data() + slab.from * rows_ * image.row_bytes());
}

void ImageSlabs::read(const Stream& stream, const ImageSlab& slab, const DeviceStore& store, Image& out) const {
  store.read_rows(stream, (slab.begin - slab.from) * rows_, (slab.end - slab.begin) * rows_,
                  out.data() + slab.begin * rows_ * out.row_bytes());
}

}  // namespace tamis::cuda
