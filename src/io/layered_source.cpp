#include "io/layered_source.hpp"

#include <algorithm>
#include <cstring>

namespace tamis::io {
namespace {

/// What is kept of a layer.
constexpr std::int64_t most_kept = std::int64_t{1} << 30;

}  // namespace

void LayeredSource::read_slices(std::int64_t z0, std::int64_t count, std::byte* out) {
  const std::int64_t end = z0 + count;
  for (std::int64_t z = z0; z < end;) {
    const SliceRange layer = layer_at(z);
    if (z == layer.z0 && layer.z1 <= end) {  // wholly wanted
      decode(layer, out + (z - z0) * slice_bytes());
      z = layer.z1;
      continue;
    }
    if (!kept_range_.holds(z)) keep(z, layer);
    const std::int64_t last = std::min(end, kept_range_.z1);
    std::memcpy(out + (z - z0) * slice_bytes(), kept_.data() + (z - kept_range_.z0) * slice_bytes(),
                static_cast<std::size_t>((last - z) * slice_bytes()));
    z = last;
  }
}

SliceRange LayeredSource::layer_at(std::int64_t z) const {
  const std::int64_t first = z / depth_ * depth_;
  return {first, first + std::min(depth_, layout().shape.z - first)};
}

void LayeredSource::keep(std::int64_t z, const SliceRange& layer) {
  const std::int64_t slices = std::max<std::int64_t>(1, most_kept / slice_bytes());
  kept_range_ = {};
  const SliceRange range =
      layer.z1 - layer.z0 <= slices ? layer : SliceRange{z, z + std::min(layer.z1 - z, slices)};
  kept_.resize(static_cast<std::size_t>((range.z1 - range.z0) * slice_bytes()));
  decode(range, kept_.data());
  kept_range_ = range;
}

}  // namespace tamis::io
