#include "mpi/own_slices.hpp"

namespace tamis::mpi {

using Range = Ranks::Range;

Slices::Slices(SliceSource& source, const Range& range) : source_(source), range_(range), layout_(source.layout()) {
  layout_.shape.z = range.end - range.begin;
}

void Slices::read(std::int64_t z0, std::int64_t count, std::byte* out) { source_.read(range_.begin + z0, count, out); }

std::optional<MappedSlices> Slices::mapped() const {
  auto mapped = source_.mapped();
  if (mapped) mapped->data += range_.begin * mapped->slice_stride;
  return mapped;
}

OwnRegion::OwnRegion(const Region& region, const Layout& layout, const Range& range)
    : region_(region), varies_(varies_in(region, layout)) {
  if (!varies_) return;
  cut_.emplace(*region.mask, range);
  region_.mask = &*cut_;
}

bool OwnRegion::varies_in(const Region& region, const Layout& layout) {
  return region.kind == Region::Kind::Mask && region.mask->layout().shape.rank == 3 && layout.shape.rank == 3;
}

std::optional<threshold_detail::Domain> OwnRegion::bits(const Context& context, const Layout& slices) {
  if (!varies_) return {};
  return threshold_detail::domain_of_mask(context, slices, &*cut_);
}

std::vector<Range> shares(std::int64_t slices, int ranks) {
  std::vector<Range> all;
  all.reserve(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) all.push_back({slices * r / ranks, slices * (r + 1) / ranks});
  return all;
}

}  // namespace tamis::mpi
