// The definition, word for word. For tests; nothing here is fast.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/distance.hpp>

namespace tamis::distance_reference {

inline constexpr std::uint64_t infinite = ~std::uint64_t{0};

struct Point {
  std::int64_t z, y, x;
};

/// Whether p, which may lie one step outside of the image, is background.
inline bool is_background(const Image& object, const Image& domain, const DistanceOptions& options, const Point& p) {
  const Shape& shape = object.shape();
  const bool background = options.border == DomainBorder::Background;
  const Faces& open = options.open;
  const bool beyond_open = (p.z < 0 && open.z_low) || (p.z >= shape.z && open.z_high) || (p.y < 0 && open.y_low) ||
                           (p.y >= shape.y && open.y_high) || (p.x < 0 && open.x_low) ||
                           (p.x >= shape.x && open.x_high);
  if (beyond_open) return false;
  const bool in_image = p.z >= 0 && p.z < shape.z && p.y >= 0 && p.y < shape.y && p.x >= 0 && p.x < shape.x;
  const bool in_domain = in_image && (domain.empty() || domain.bit(p.z % domain.shape().z, p.y, p.x));
  return in_domain ? !object.bit(p.z, p.y, p.x) : background;
}

/// The least square for every voxel of the object; `infinite` where there is no background.
inline std::vector<std::uint64_t> squares(const Image& object, const DistanceOptions& options, const Image& domain) {
  const Shape& shape = object.shape();
  const bool volume = shape.rank == 3 && !options.by_slices;
  const WholeSides sides = whole_sides(object.spacing, volume ? 3 : 2);
  std::vector<Point> background;
  for (std::int64_t z = volume ? -1 : 0; z < shape.z + (volume ? 1 : 0); ++z)
    for (std::int64_t y = -1; y <= shape.y; ++y)
      for (std::int64_t x = -1; x <= shape.x; ++x)
        if (is_background(object, domain, options, {z, y, x})) background.push_back({z, y, x});
  std::vector<std::uint64_t> result;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        std::uint64_t least = object.bit(z, y, x) ? infinite : 0;
        for (const Point& p : background) {
          if (least == 0) break;
          if (!volume && p.z != z) continue;
          const auto square = [](std::int64_t d) { return static_cast<std::uint64_t>(d * d); };
          const std::uint64_t along_z = volume ? square(sides.z * (p.z - z)) : 0;
          least = std::min(least, along_z + square(sides.y * (p.y - y)) + square(sides.x * (p.x - x)));
        }
        result.push_back(least);
      }
  return result;
}

}  // namespace tamis::distance_reference
