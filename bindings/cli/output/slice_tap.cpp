#include "cli/output/map_writer.hpp"

#include <cstring>

#include <tamis/convert.hpp>

namespace tamis::cli {
namespace {

/// A single slice in memory as a source.
class OneSlice final : public SliceSource {
 public:
  OneSlice(Layout layout, std::vector<std::byte> bytes) : layout_(std::move(layout)), bytes_(std::move(bytes)) {}
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t, std::int64_t, std::byte* out) override { std::memcpy(out, bytes_.data(), bytes_.size()); }

 private:
  Layout layout_;
  std::vector<std::byte> bytes_;
};

}  // namespace

SliceTap::SliceTap(SliceSource& source, const Plane& plane)
    : source_(&source),
      plane_(plane),
      sample_bytes_(layout().channels * sample_bytes(layout().type)),
      slice_bytes_(layout().shape.y * layout().shape.x * sample_bytes_),
      seen_(static_cast<std::size_t>(layout().shape.z)) {}

void SliceTap::keep(std::int64_t z, const std::byte* slice) {
  const Shape& shape = layout().shape;
  kept_.resize(static_cast<std::size_t>(plane_.width(shape) * plane_.height(shape) * sample_bytes_));
  std::byte* const to = kept_.data() + plane_.first_of(shape, z) * sample_bytes_;
  for (std::int64_t i = 0; i < plane_.samples(shape); ++i) {
    std::memcpy(to + i * sample_bytes_, slice + plane_.index_of(shape, i) * sample_bytes_,
                static_cast<std::size_t>(sample_bytes_));
  }
  seen_[static_cast<std::size_t>(z)] = true;
}

void SliceTap::read(std::int64_t z0, std::int64_t count, std::byte* out) {
  source_->read(z0, count, out);
  for (std::int64_t z = z0; z < z0 + count; ++z) {
    if (plane_.cuts(z)) keep(z, out + (z - z0) * slice_bytes_);
  }
}

std::vector<float> SliceTap::grey() {
  const Shape& shape = layout().shape;
  std::vector<std::byte> slice;
  for (std::int64_t z = 0; z < shape.z; ++z) {
    if (!plane_.cuts(z) || seen_[static_cast<std::size_t>(z)]) continue;
    slice.resize(static_cast<std::size_t>(slice_bytes_));
    source_->read(z, 1, slice.data());
    keep(z, slice.data());
  }
  Layout plane = layout();
  plane.shape = {1, plane_.height(shape), plane_.width(shape), 2};
  const auto source = convert(std::make_unique<OneSlice>(plane, std::move(kept_)), Type::F32);
  std::vector<float> grey(static_cast<std::size_t>(plane.shape.count()));
  source->read(0, 1, reinterpret_cast<std::byte*>(grey.data()));
  return grey;
}

}  // namespace tamis::cli
