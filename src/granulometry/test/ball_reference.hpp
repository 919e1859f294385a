// The definition of granulometry by balls, word for word. For tests; nothing here is fast.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <tamis/balls.hpp>

#include "distance/test/reference.hpp"

namespace tamis::ball_reference {

using distance_reference::infinite;

/// The square of a ball by its convention, from that of the distance.
inline std::uint64_t square_of(std::uint64_t distance, BallConvention convention) {
  if (distance == infinite || convention == BallConvention::Tamis) return distance;
  if (convention == BallConvention::Fiji) return distance == 0 ? 0 : distance + 1;
  std::uint64_t root = 0;
  while ((root + 1) * (root + 1) <= distance) ++root;
  return root * root;
}

/// The largest square of the listed radii that is no larger; 0 where all are.
inline std::uint64_t listed(std::uint64_t square, const std::vector<std::int64_t>& radii, std::uint64_t side) {
  if (radii.empty() || square == infinite) return square;
  std::uint64_t best = 0;
  for (const std::int64_t radius : radii) {
    const std::uint64_t of_radius = static_cast<std::uint64_t>(radius * radius) * side * side;
    if (of_radius <= square) best = std::max(best, of_radius);
  }
  return best;
}

/// T2 of every voxel: the greatest square of a ball that covers it.
inline std::vector<std::uint64_t> squares(const Image& object, const BallOptions& options, const Image& domain) {
  const Shape& shape = object.shape();
  const bool flat = shape.rank == 2 || options.by_slices;
  const WholeSides sides = whole_sides(object.spacing, flat ? 2 : 3);
  std::vector<std::uint64_t> balls =
      distance_reference::squares(object, {options.border, {}, options.by_slices}, domain);
  const auto shortest = static_cast<std::uint64_t>(sides.least(flat ? 2 : 3));
  for (std::uint64_t& ball : balls) {
    ball = square_of(listed(ball, options.radii, shortest), options.convention);
  }
  const auto at = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    return static_cast<std::size_t>((z * shape.y + y) * shape.x + x);
  };
  const auto square = [](std::int64_t d) { return static_cast<std::uint64_t>(d * d); };
  std::vector<std::uint64_t> covered(balls.size());
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        const std::uint64_t ball = balls[at(z, y, x)];
        if (ball == 0) continue;
        if (ball == infinite) {
          covered[at(z, y, x)] = infinite;
          continue;
        }
        const auto radius = static_cast<std::int64_t>(std::sqrt(static_cast<double>(ball))) + 1;
        const auto low = [&](std::int64_t p, std::int64_t side) { return std::max<std::int64_t>(0, p - radius / side); };
        const auto high = [&](std::int64_t p, std::int64_t side, std::int64_t n) {
          return std::min(n - 1, p + radius / side);
        };
        for (std::int64_t c = flat ? z : low(z, sides.z); c <= (flat ? z : high(z, sides.z, shape.z)); ++c)
          for (std::int64_t b = low(y, sides.y); b <= high(y, sides.y, shape.y); ++b)
            for (std::int64_t a = low(x, sides.x); a <= high(x, sides.x, shape.x); ++a) {
              const std::uint64_t away =
                  square(sides.z * (c - z)) + square(sides.y * (b - y)) + square(sides.x * (a - x));
              if (away < ball && object.bit(c, b, a)) covered[at(c, b, a)] = std::max(covered[at(c, b, a)], ball);
            }
      }
  if (options.convention == BallConvention::Fiji) {
    for (std::uint64_t& value : covered) value -= value != 0 && value != infinite ? 1 : 0;
  }
  return covered;
}

/// The number of the opening that removes a voxel of a finite square: the least n with R <= n.
inline std::int64_t removed_by(std::uint64_t square, std::int64_t side) {
  auto n = static_cast<std::int64_t>(std::sqrt(static_cast<double>(square)) / static_cast<double>(side));
  n = std::max<std::int64_t>(n - 2, 0);
  while (static_cast<std::uint64_t>(n * n * side * side) < square) ++n;
  return n;
}

/// volume[n]: voxels with R > n, for n = 0, 1, ... until none of finite radius is left.
inline std::vector<std::int64_t> curve(const std::vector<std::uint64_t>& squares, std::int64_t side) {
  std::vector<std::int64_t> volume;
  for (std::int64_t n = 0;; ++n) {
    volume.push_back(0);
    bool finite = false;
    for (const std::uint64_t square : squares) {
      if (square == 0) continue;
      const bool more = square == infinite || removed_by(square, side) > n;
      volume.back() += more;
      finite = finite || (more && square != infinite);
    }
    if (!finite) return volume;
  }
}

}  // namespace tamis::ball_reference
