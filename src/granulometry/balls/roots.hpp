// Roots of whole numbers.
#pragma once

#include <cmath>
#include <cstdint>

namespace tamis::granulometry_detail {

/// The largest whole number whose square is not above `square`, which is below 2^63.
[[nodiscard]] inline std::int64_t root(std::uint64_t square) {
  auto whole = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(square)));
  while (whole * whole > square) --whole;
  while ((whole + 1) * (whole + 1) <= square) ++whole;
  return static_cast<std::int64_t>(whole);
}

}  // namespace tamis::granulometry_detail
