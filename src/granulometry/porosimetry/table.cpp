// What has been invaded at each radius, and at which pressure.
#include <tamis/porosimetry.hpp>

#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

namespace tamis {
namespace {

std::optional<double> metres_of(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"nm", 1e-9}, {"um", 1e-6}, {"mm", 1e-3}, {"cm", 1e-2}, {"m", 1}};
  for (const auto& [name, metres] : units) {
    if (unit == name) return metres;
  }
  return std::nullopt;
}

}  // namespace

double Porosimetry::radius(std::int64_t n) const { return static_cast<double>(n) * balls.shortest_side; }

std::int64_t Porosimetry::invaded_at(std::int64_t n) const {
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
  const std::optional<double> metres = metres_of(spacing.unit);
  if (!metres || radius <= 0) return std::nullopt;
  return washburn_pressure(radius * *metres, sigma, theta);
}

}  // namespace tamis
