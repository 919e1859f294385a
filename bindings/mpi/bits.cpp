#include "mpi/bits.hpp"

#include <algorithm>
#include <cstring>

namespace tamis::mpi {
namespace {

std::size_t bytes_of(std::int64_t words) { return static_cast<std::size_t>(words) * sizeof(std::uint64_t); }

}  // namespace

Sizes Slab::size_map(const Context& context, const GranulometryOptions& options, const std::function<void(Type)>& start,
                     const MapSink& sink) const {
  if (binary_) return tamis::size_map(context, *binary_, options, start, sink);
  return tamis::size_map(context, object_, options, domain_, start, sink);
}

std::optional<granulometry_detail::SlicesTally> Slab::tally(const Context& context, const GranulometryOptions& options,
                                                            std::int64_t begin, std::int64_t end) const {
  if (!binary_) return {};
  return granulometry_detail::tally_of_slices(context, *binary_, options, begin, end);
}

BallSizes Slab::ball_map(const Context& context, const BallOptions& options, const BallStart& start,
                         const MapSink& sink) const {
  if (binary_) return tamis::ball_map(context, *binary_, options, start, sink);
  return tamis::ball_map(context, object_, options, domain_, start, sink);
}

Bits::Bits(const Context& context, const Layout& layout, const Range& range, bool on_gpu)
    : range_(range), layout_(layout), words_((layout.shape.x + 63) / 64 * layout.shape.y) {
  layout_.shape.z = range.end - range.begin;
  if (layout_.shape.z == 0) return;
  if (on_gpu) {
    gpu_.emplace(context, layout_, range.begin);
  } else {
    host_ = Image(Type::Bool, layout_.shape, layout_.spacing);
  }
}

std::uint64_t* Bits::slice(std::int64_t z) {
  return gpu_ ? gpu_->slice(z) : host_.row<std::uint64_t>(z - range_.begin, 0);
}

void Bits::put(std::int64_t z, std::int64_t count, const std::uint64_t* from) {
  if (gpu_) return gpu_->put(z, count, from);
  std::memcpy(slice(z), from, bytes_of(count * words_));
}

void Bits::put(Bits& other) {
  const std::int64_t begin = std::max(range_.begin, other.range_.begin);
  const std::int64_t end = std::min(range_.end, other.range_.end);
  if (begin < end) put(begin, end - begin, other.slice(begin));
}

void Bits::come_to_host() {
  if (!gpu_) return;
  host_ = Image(Type::Bool, layout_.shape, layout_.spacing);
  gpu_->get(host_.row<std::uint64_t>(0, 0));
  gpu_.reset();
}

Slab Bits::cut_out(const Context& context, const Range& range, Bits& domain) {
  if (gpu_) return Slab(gpu_->cut_out(context, range.begin, range.end, domain.on_gpu()));
  return {copy_of(range), domain.copy_for(range)};
}

granulometry_detail::Census Bits::census(const Context& context, const Range& range, Bits& domain, bool z_is_axis) {
  if (gpu_) return gpu_->census(range.begin, range.end, domain.on_gpu(), z_is_axis);
  return granulometry_detail::take_census(context, copy_of(range), domain.copy_for(range), z_is_axis);
}

Image Bits::copy_of(const Range& range) {
  Shape shape = layout_.shape;
  shape.z = range.end - range.begin;
  Image image(Type::Bool, shape, layout_.spacing);
  std::memcpy(image.data(), slice(range.begin), bytes_of(shape.z * words_));
  return image;
}

}  // namespace tamis::mpi
