// Roots of whole numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <tamis/distance.hpp>

namespace tamis::granulometry_detail {

/// The largest whole number whose square is not above `square`, which is below 2^63.
[[nodiscard]] inline std::int64_t root(std::uint64_t square) {
  auto whole = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(square)));
  while (whole * whole > square) --whole;
  while ((whole + 1) * (whole + 1) <= square) ++whole;
  return static_cast<std::int64_t>(whole);
}

/// The largest number of steps of a side whose square is below `square`, which is above 0. `per_side`: 1 / side. The
/// nearest whole number to the root is that one or the next.
[[nodiscard]] inline std::int64_t steps_below(std::uint64_t square, std::int64_t side, double per_side) {
  const std::int64_t steps = std::llrint(std::sqrt(static_cast<double>(square)) * per_side);
  const auto length = static_cast<std::uint64_t>(steps * side);
  return length * length < square ? steps : steps - 1;
}

/// Sides for balls of squares up to `largest`, of which there are some: one that is longer than all radii is only just
/// so. That changes nothing, and keeps products of sides small.
[[nodiscard]] inline WholeSides reached_sides(WholeSides sides, std::uint64_t largest) {
  const std::int64_t longest = root(std::max<std::uint64_t>(largest, 1) - 1) + 1;
  for (std::int64_t* const side : {&sides.z, &sides.y, &sides.x}) *side = std::min(*side, longest);
  return sides;
}

}  // namespace tamis::granulometry_detail
