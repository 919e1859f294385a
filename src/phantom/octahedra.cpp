#include <cstdlib>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/phantom.hpp>

#include "core/door.hpp"
#include "core/stage.hpp"
#include "operations.hpp"
#include "phantom/bit_rows.hpp"
#include "phantom/operation.hpp"
#include "phantom/split_mix.hpp"

namespace tamis {
namespace {

std::int64_t octahedron_volume(std::int64_t r, int rank) {
  return rank == 2 ? 2 * r * (r + 1) + 1 : (2 * r + 1) * (2 * r * r + 2 * r + 3) / 3;
}

struct Point {
  std::int64_t z, y, x;
};

void paint(Image& image, const Point& centre, std::int64_t radius) {
  const std::int64_t depth = image.shape().rank == 2 ? 0 : radius;
  for (std::int64_t z = -depth; z <= depth; ++z) {
    const std::int64_t height = radius - std::abs(z);
    for (std::int64_t y = -height; y <= height; ++y) {
      const std::int64_t half = height - std::abs(y);
      phantom_detail::fill_run(image.row<std::uint64_t>(centre.z + z, centre.y + y), centre.x - half, centre.x + half);
    }
  }
}

}  // namespace

Octahedra phantom_octahedra(const Context& context, const OctahedraOptions& options) {
  return door::compute(context, "octahedra", [&] {
    const Shape& shape = options.shape;
    door::require_shape(Type::Bool, shape, "octahedra");
    const std::int64_t radius = options.max_radius;
    require_in(phantom_detail::radii, static_cast<double>(radius), "octahedra: max_radius");
    require_in({0, static_cast<double>(radius)}, static_cast<double>(options.min_radius), "octahedra: min_radius");
    // Cells are one sample wider than the largest octahedron: neighbours stay apart by a sample at least, so no cross
    // that fits in the union reaches into two of them. The last cell needs no such gap.
    const std::int64_t cell = 2 * radius + 2;
    const auto cells_along = [&](std::int64_t edge) { return edge / cell + (edge % cell == cell - 1 ? 1 : 0); };
    const Point cells{shape.rank == 2 ? 1 : cells_along(shape.z), cells_along(shape.y), cells_along(shape.x)};
    if (cells.z < 1 || cells.y < 1 || cells.x < 1) {
      throw InputError(fmt::format("octahedra: {} samples hold no octahedron of radius {}; wanted edges of at least {}",
                                   to_string(shape), radius, cell - 1));
    }
    Octahedra result{Image(Type::Bool, shape), std::vector<std::int64_t>(static_cast<std::size_t>(radius) + 1)};
    Stage stage(context, "phantom", cells.z * cells.y);
    phantom_detail::SplitMix random(options.seed);
    for (std::int64_t k = 0; k < cells.z; ++k) {
      for (std::int64_t j = 0; j < cells.y; ++j, stage.advance()) {
        for (std::int64_t i = 0; i < cells.x; ++i) {
          const std::int64_t r = random.between(options.min_radius, radius);
          const Point centre{shape.rank == 2 ? 0 : k * cell + radius, j * cell + radius, i * cell + radius};
          paint(result.image, centre, r);
          result.spectrum[static_cast<std::size_t>(r)] += octahedron_volume(r, shape.rank);
        }
      }
    }
    return result;
  });
}

OperationDescription describe_octahedra() {
  using namespace phantom_detail;
  return describe(phantom_of("octahedra", "disjoint octahedra: their cross granulometry is exact",
                             {"tamis phantom octahedra known.tif --size 200x200x200 --max-radius 12 --json known.json"}),
                  OctahedraOptions(), phantom_section, size_parameter(&OctahedraOptions::shape),
                  radius_parameter(&OctahedraOptions::max_radius, "max_radius", "largest radius in voxels"),
                  seed_parameter(&OctahedraOptions::seed),
                  radius_parameter(&OctahedraOptions::min_radius, "min_radius", "smallest radius in voxels"));
}

}  // namespace tamis
