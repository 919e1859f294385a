// A box of a source, as a source.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <tamis/image/crop.hpp>
#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

#include "core/door.hpp"

namespace tamis {
namespace {

class CropSource final : public SliceSource {
 public:
  CropSource(std::unique_ptr<SliceSource> inner, const Box& box)
      : inner_(std::move(inner)), box_(box), layout_(inner_->layout()) {
    layout_.shape = {box.z1 - box.z0, box.y1 - box.y0, box.x1 - box.x0, layout_.shape.rank};
    const auto voxels = [](std::int64_t count) { return static_cast<double>(count); };
    layout_.spacing = shifted(std::move(layout_.spacing), voxels(box.x0), voxels(box.y0), voxels(box.z0));
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    door::require_slices(layout_.shape, z0, count, out);
    const Shape& whole = inner_->layout().shape;
    const std::int64_t row = whole.x * sample();
    const std::optional<MappedSlices> there = mapped();
    if (!there) slice_.resize(static_cast<std::size_t>(whole.y * row));
    for (std::int64_t z = z0; z < z0 + count; ++z) {
      if (there) {
        out = copy(there->data + z * there->slice_stride, there->row_stride, out);
      } else {
        inner_->read(box_.z0 + z, 1, slice_.data());
        out = copy(slice_.data() + box_.y0 * row + box_.x0 * sample(), row, out);
      }
    }
  }

  [[nodiscard]] std::optional<MappedSlices> mapped() const override {
    std::optional<MappedSlices> slices = inner_->mapped();
    if (slices) {
      slices->data += box_.z0 * slices->slice_stride + box_.y0 * slices->row_stride + box_.x0 * sample();
    }
    return slices;
  }

 private:
  [[nodiscard]] std::int64_t sample() const { return sample_bytes(layout_.type) * layout_.channels; }

  std::byte* copy(const std::byte* from, std::int64_t row_stride, std::byte* out) const {
    const std::int64_t bytes = layout_.shape.x * sample();
    for (std::int64_t y = 0; y < layout_.shape.y; ++y, from += row_stride, out += bytes) {
      std::memcpy(out, from, static_cast<std::size_t>(bytes));
    }
    return out;
  }

  std::unique_ptr<SliceSource> inner_;
  Box box_;
  Layout layout_;
  std::vector<std::byte> slice_;
};

/// "0:9" into its ends; false for what is none, or empty.
bool read_ends(std::string_view range, std::int64_t& low, std::int64_t& high) {
  const std::size_t colon = range.find(':');
  if (colon == std::string_view::npos) return false;
  const auto first = whole_number(range.substr(0, colon));
  const auto last = whole_number(range.substr(colon + 1));
  if (!first || !last || *first < 0 || *first >= *last) return false;
  low = *first;
  high = *last;
  return true;
}

}  // namespace

CropRanges parse_crop(std::string_view text) {
  CropRanges crop;
  Box& box = crop.box;
  const std::array<std::pair<std::int64_t*, std::int64_t*>, 3> ends{
      {{&box.x0, &box.x1}, {&box.y0, &box.y1}, {&box.z0, &box.z1}}};
  std::size_t axis = 0;
  for (bool more = true; more; ++axis) {
    const std::size_t comma = text.find(',');
    if (axis == ends.size() || !read_ends(text.substr(0, comma), *ends[axis].first, *ends[axis].second)) {
      axis = 0;
      break;
    }
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  if (axis < 2) throw InputError("wanted x0:x1,y0:y1,z0:z1 (or x and y only), whole numbers, each first below its last");
  crop.every_slice = axis == 2;
  return crop;
}

Box CropRanges::of(const Shape& shape) const {
  Box part = box;
  if (every_slice) {
    part.z0 = 0;
    part.z1 = shape.z;
  }
  return part;
}

std::unique_ptr<SliceSource> crop(std::unique_ptr<SliceSource> source, const Box& box) {
  door::require_source(source.get(), "crop");
  const Shape& s = source->layout().shape;
  const auto inside = [](std::int64_t low, std::int64_t high, std::int64_t edge) {
    return 0 <= low && low < high && high <= edge;
  };
  if (!inside(box.x0, box.x1, s.x) || !inside(box.y0, box.y1, s.y) || !inside(box.z0, box.z1, s.z)) {
    throw InputError(fmt::format("a crop of {}:{},{}:{},{}:{}; wanted LOW < HIGH within 0:{},0:{},0:{} (x, y, z)",
                                 box.x0, box.x1, box.y0, box.y1, box.z0, box.z1, s.x, s.y, s.z));
  }
  return std::make_unique<CropSource>(std::move(source), box);
}

}  // namespace tamis
