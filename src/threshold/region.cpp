#include "threshold/slabs.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include <tamis/error.hpp>

#include "core/door.hpp"
#include "core/visit_type.hpp"
#include "threshold/cpu/kernels.hpp"

namespace tamis::threshold_detail {
namespace {

void check_mask(const Layout& image, const SliceSource* mask) {
  if (!mask) throw InputError("region: a mask without samples; wanted an image of " + to_string(image.shape));
  const Layout& layout = mask->layout();
  require_layout(layout, "region: the mask");
  if (layout.channels > 1) {
    throw InputError("region: the mask has " + std::to_string(layout.channels) + " channels; wanted one (`channel`)");
  }
  const Shape& got = layout.shape;
  const bool every_slice = got.rank == 2 && image.shape.rank == 3;
  if (got.x != image.shape.x || got.y != image.shape.y || (got.z != image.shape.z && !every_slice)) {
    throw InputError("region: the mask is " + to_string(got) + "; wanted " + to_string(image.shape) +
                     (image.shape.rank == 3 ? ", or one slice of it for all slices" : ""));
  }
}

/// A sample is inside if it is not zero.
Domain pack_mask(const Context& context, SliceSource& mask) {
  const Layout& layout = mask.layout();
  Domain domain{Image(Type::Bool, layout.shape, layout.spacing), 0};
  std::atomic<std::int64_t> inside{0};
  std::atomic<bool> nan{false};
  Stage stage(context, "region", layout.shape.z * layout.shape.y);
  for_each_slab(context, mask, [&](const Slab& slab) {
    for_each_band(context, layout, slab, &stage, [&](const Band& band) {
      PackJob job{layout.type, band.samples, band.row_stride, band.rows, layout.shape.x};
      job.bits = domain.bits.row<std::uint64_t>(band.z, band.y);
      job.complement = true;  // low and high stay 0: bright is what equals zero
      const cpu::Packed packed = cpu::pack(context.simd, job);
      inside += packed.set;
      if (packed.odd) nan = true;
    });
  });
  if (nan) throw InputError("region: the mask holds NaN; wanted zero outside and another number inside");
  domain.volume = inside;
  return domain;
}

}  // namespace

Domain domain_of(const Context& context, const Layout& layout, const Region& region) {
  const Shape& shape = layout.shape;
  door::require_known(region.kind, Region::Kind::Mask, "region");
  switch (region.kind) {
    case Region::Kind::All:
      return {Image(), shape.count()};
    case Region::Kind::Cylinder: {
      Domain domain{inscribed_disk(shape.y, shape.x), 0};
      for (std::int64_t y = 0; y < shape.y; ++y) {
        const auto* const row = domain.row(0, y);
        for (std::int64_t w = 0; w < (shape.x + 63) / 64; ++w) domain.volume += __builtin_popcountll(row[w]);
      }
      domain.volume *= shape.z;
      return domain;
    }
    case Region::Kind::Mask:
      break;
  }
  Domain domain = domain_of_mask(context, layout, region.mask);
  if (domain.volume == 0) throw InputError("region: the mask is 0 everywhere; wanted at least one sample inside");
  return domain;
}

Domain domain_of_mask(const Context& context, const Layout& layout, SliceSource* mask) {
  check_mask(layout, mask);
  Domain domain = pack_mask(context, *mask);
  if (domain.bits.shape().z == 1) domain.volume *= layout.shape.z;
  return domain;
}

}  // namespace tamis::threshold_detail

namespace tamis {

Image inscribed_disk(std::int64_t y, std::int64_t x) {
  Image disk(Type::Bool, {1, y, x, 2});
  // In units of half a sample everything is an integer: centre (x-1, y-1), diameter of the circle min(x, y).
  const std::int64_t edge = std::min(x, y);
  for (std::int64_t j = 0; j < y; ++j) {
    auto* const row = disk.row<std::uint64_t>(0, j);
    const std::int64_t dy = 2 * j - (y - 1);
    for (std::int64_t i = 0; i < x; ++i) {
      const std::int64_t dx = 2 * i - (x - 1);
      if (dx * dx + dy * dy <= edge * edge) row[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }
  return disk;
}

}  // namespace tamis
