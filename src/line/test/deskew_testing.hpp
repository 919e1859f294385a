// Pages whose angle is known, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <tamis/image.hpp>

#include "core/visit_type.hpp"

namespace tamis::deskew_testing {

/// How much of the sample at a distance from the middle of a stripe is covered by it; edges are a sample wide.
inline double covered(double distance, double width) {
  return std::clamp(width / 2 + 0.5 - std::abs(distance), 0.0, 1.0);
}

struct Stripes {
  double angle = 0;       ///< degrees, counter-clockwise
  double period = 24.37;  ///< no whole number, so that stripes do not step all at once
  double width = 3;
  double ink = 20;  ///< sample values, of Bool 0 and 1
  double ground = 230;
  bool upright = false;  ///< across the page instead of along it
};

/// Parallel stripes that end before the edges of the page, as staves do.
inline Image stripes(Type type, std::int64_t width, std::int64_t height, const Stripes& what) {
  Image page(type, {1, height, width, 2});
  const double slope = std::tan(what.angle * std::numbers::pi / 180);
  const double cosine = std::cos(what.angle * std::numbers::pi / 180);
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const double u = static_cast<double>(x) - static_cast<double>(width) / 2;
      const double v = static_cast<double>(y) - static_cast<double>(height) / 2;
      const double level = (what.upright ? u - v * slope : v + u * slope) * cosine;
      const double place = level - what.period * std::round(level / what.period);
      const bool inside =
          std::abs(u) < 0.4 * static_cast<double>(width) && std::abs(v) < 0.4 * static_cast<double>(height);
      const double share = inside ? covered(place, what.width) : 0;
      if (type == Type::Bool) {
        page.row<std::uint64_t>(0, y)[x / 64] |= std::uint64_t{share < 0.5} << (x % 64);
        continue;
      }
      const double value = what.ground + share * (what.ink - what.ground);
      visit_type(type, [&](auto sample) {
        using Sample = decltype(sample);
        page.row<Sample>(0, y)[x] = static_cast<Sample>(type == Type::F32 ? value : std::round(value));
      });
    }
  }
  return page;
}

/// Independent samples of no direction.
inline Image noise(std::int64_t width, std::int64_t height) {
  Image page(Type::U8, {1, height, width, 2});
  std::uint32_t state = 7;
  for (std::int64_t i = 0; i < width * height; ++i) {
    state = state * 1664525U + 1013904223U;
    page.row<std::uint8_t>(0, 0)[i] = static_cast<std::uint8_t>(state >> 24U);
  }
  return page;
}

}  // namespace tamis::deskew_testing
