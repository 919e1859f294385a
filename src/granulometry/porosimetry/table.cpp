// What has been invaded at each radius, and at which pressure.
#include <tamis/porosimetry.hpp>

#include <cmath>
#include <numbers>

#include "core/door.hpp"
#include "core/place.hpp"

namespace tamis {
double Porosimetry::radius(std::int64_t n) const {
  door::require_row(n, rows());
  return static_cast<double>(n) * balls.shortest_side;
}

std::int64_t Porosimetry::invaded_at(std::int64_t n) const {
  door::require_row(n, rows());
  // Row 0 of the sizes is the whole object, also what is never reached.
  return n == 0 ? invaded : balls.sizes.volume[static_cast<std::size_t>(n)];
}

double Porosimetry::saturation(std::int64_t n) const {
  return volume == 0 ? 0 : static_cast<double>(invaded_at(n)) / static_cast<double>(volume);
}

double washburn_pressure(double radius, double sigma, double theta) {
  return 2 * sigma * std::abs(std::cos(theta / 180 * std::numbers::pi)) / radius;
}

std::optional<double> pressure_at(double radius, const Spacing& spacing, double sigma, double theta) {
  const std::optional<double> unit = micrometres(spacing.unit);
  if (!unit || radius <= 0) return std::nullopt;
  return washburn_pressure(radius * *unit / 1e6, sigma, theta);
}

}  // namespace tamis
