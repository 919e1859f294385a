#include "cli/output/map_writer.hpp"

#include <cstring>

namespace tamis::cli {
namespace {

std::uint32_t size_at(const std::byte* samples, Type type, std::int64_t index) {
  if (type == Type::U8) return std::to_integer<std::uint32_t>(samples[index]);
  std::uint16_t narrow = 0;
  std::uint32_t wide = 0;
  if (type == Type::U16) {
    std::memcpy(&narrow, samples + 2 * index, sizeof narrow);
    return narrow;
  }
  std::memcpy(&wide, samples + 4 * index, sizeof wide);
  return wide;
}

}  // namespace

MapWriter::MapWriter(Outputs& outputs, const Layout& layout, std::string map, std::string map_width, const Plane& keep)
    : outputs_(outputs),
      layout_(layout),
      map_(std::move(map)),
      map_width_(std::move(map_width)),
      keep_(keep),
      slice_samples_(layout.shape.y * layout.shape.x) {}

void MapWriter::start(Type type) {
  layout_.type = type;
  layout_.channels = 1;
  if (!map_.empty()) sizes_ = shown_as_sizes(outputs_.create(map_, layout_), layout_);
  if (!map_width_.empty()) {
    Layout layout = layout_;
    layout.type = Type::F32;
    widths_ = shown_as_sizes(outputs_.create(map_width_, layout), layout);
    slice_of_widths_.resize(static_cast<std::size_t>(slice_samples_));
  }
}

void MapWriter::write(const std::byte* slices, std::int64_t z0, std::int64_t count) {
  if (sizes_) sizes_->write(slices, count);
  if (widths_) write_widths(slices, count);
  const Shape& shape = layout_.shape;
  for (std::int64_t z = z0; z < z0 + count; ++z) {
    if (!keep_.cuts(z)) continue;
    kept_.resize(static_cast<std::size_t>(keep_.width(shape) * keep_.height(shape)));
    for (std::int64_t i = 0; i < keep_.samples(shape); ++i) {
      kept_[static_cast<std::size_t>(keep_.first_of(shape, z) + i)] =
          static_cast<float>(size_at(slices, layout_.type, (z - z0) * slice_samples_ + keep_.index_of(shape, i))) - 1;
    }
  }
}

void MapWriter::write_widths(const std::byte* slices, std::int64_t count) {
  for (std::int64_t z = 0; z < count; ++z) {
    for (std::int64_t i = 0; i < slice_samples_; ++i) {
      const std::uint32_t removed_by = size_at(slices, layout_.type, z * slice_samples_ + i);
      // The opening that removes a voxel is one past the largest element that holds it.
      const double width = removed_by == 0 ? 0 : (2.0 * (removed_by - 1.0) + 1.0) * layout_.spacing.x;
      slice_of_widths_[static_cast<std::size_t>(i)] = static_cast<float>(width);
    }
    widths_->write(reinterpret_cast<const std::byte*>(slice_of_widths_.data()), 1);
  }
}

void MapWriter::finish() {
  if (sizes_) sizes_->finish();
  if (widths_) widths_->finish();
}

}  // namespace tamis::cli
