#include <algorithm>
#include <cmath>

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

// Squares of radii and of distances stay far inside what a double holds exactly.
constexpr std::int64_t largest_radius = std::int64_t{1} << 20;

struct Sphere {
  std::int64_t radius, z, y, x;
};

void validate(const FoamOptions& options) {
  if (options.min_radius < 0 || options.max_radius < options.min_radius || options.max_radius > largest_radius) {
    throw InputError(fmt::format("foam: radii {} .. {}; wanted 0 <= smallest <= largest <= {}", options.min_radius,
                                 options.max_radius, largest_radius));
  }
  if (!(options.pore_fraction > 0 && options.pore_fraction <= 1)) {
    throw InputError(fmt::format("foam: pore fraction {}; wanted above 0, at most 1", options.pore_fraction));
  }
}

/// The largest i with i * i <= n.
std::int64_t integer_root(std::int64_t n) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  while (root * root > n) --root;
  while ((root + 1) * (root + 1) <= n) ++root;
  return root;
}

/// Paints the part of a sphere that lies in the image; returns how many samples are newly set.
std::int64_t paint(Image& image, const Sphere& sphere) {
  const Shape& shape = image.shape();
  const std::int64_t r = sphere.radius;
  std::int64_t fresh = 0;
  for (std::int64_t z = std::max<std::int64_t>(0, sphere.z - r); z <= std::min(shape.z - 1, sphere.z + r); ++z) {
    const std::int64_t disk = r * r - (z - sphere.z) * (z - sphere.z);
    const std::int64_t height = integer_root(disk);
    const std::int64_t y_end = std::min(shape.y - 1, sphere.y + height);
    for (std::int64_t y = std::max<std::int64_t>(0, sphere.y - height); y <= y_end; ++y) {
      const std::int64_t half = integer_root(disk - (y - sphere.y) * (y - sphere.y));
      fresh += phantom_detail::fill_run(image.row<std::uint64_t>(z, y), std::max<std::int64_t>(0, sphere.x - half),
                                        std::min(shape.x - 1, sphere.x + half));
    }
  }
  return fresh;
}

/// A centre for which the sphere lies whole inside 0 .. edge-1, if there is one.
std::int64_t fitting_centre(phantom_detail::SplitMix& random, std::int64_t edge, std::int64_t radius) {
  return edge >= 2 * radius + 1 ? random.between(radius, edge - 1 - radius) : random.between(0, edge - 1);
}

}  // namespace

Image phantom_foam(const Context& context, const FoamOptions& options) {
  return door::compute(context, "foam", [&] {
    validate(options);
    Image image(Type::Bool, options.shape);
    const Shape& shape = options.shape;
    const double wanted = options.pore_fraction * static_cast<double>(shape.count());
    Stage stage(context, "phantom", static_cast<std::int64_t>(wanted));
    phantom_detail::SplitMix random(options.seed);
    // The order of draws is part of the phantom: radius, then z, y, x.
    Sphere sphere{};
    sphere.radius = options.max_radius;
    sphere.z = fitting_centre(random, shape.z, sphere.radius);
    sphere.y = fitting_centre(random, shape.y, sphere.radius);
    sphere.x = fitting_centre(random, shape.x, sphere.radius);
    std::int64_t pores = paint(image, sphere);
    while (static_cast<double>(pores) < wanted) {
      sphere.radius = random.between(options.min_radius, options.max_radius);
      sphere.z = random.between(0, shape.z - 1);
      sphere.y = random.between(0, shape.y - 1);
      sphere.x = random.between(0, shape.x - 1);
      const std::int64_t fresh = paint(image, sphere);
      pores += fresh;
      stage.advance(fresh);
    }
    return image;
  });
}

OperationDescription describe_foam() {
  using namespace phantom_detail;
  return describe(phantom_of("foam", "overlapping spheres: the pores of a foam",
                             {"tamis phantom foam foam.tif --size 256 --max-radius 20",
                              "tamis phantom foam foam_1024x1024x1024_u8.raw --size 1024 --max-radius 40 --seed 7"}),
                  FoamOptions(), phantom_section, size_parameter(&FoamOptions::shape),
                  radius_parameter(&FoamOptions::max_radius, "max_radius", "largest radius in voxels"),
                  seed_parameter(&FoamOptions::seed),
                  radius_parameter(&FoamOptions::min_radius, "min_radius", "smallest radius in voxels"),
                  parameter(&FoamOptions::pore_fraction, "fraction")
                      .above(0)
                      .below(1)
                      .placeholder("F")
                      .text("share of the volume that is pore")
                      .example("0.4"));
}

}  // namespace tamis
