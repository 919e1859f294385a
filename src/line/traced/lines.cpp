#include "line/traced/lines.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tamis::line_detail {

Slope slope_of(double angle) {
  const double turned = std::fmod(std::fmod(angle, 180.0) + 180.0, 180.0);
  const double radians = turned * std::numbers::pi / 180;
  const bool steep = turned >= 45 && turned < 135;
  return {steep ? std::cos(radians) / std::sin(radians) : std::tan(radians), steep};
}

int shift_at(const Slope& slope, std::int64_t k) {
  // What is within rounding of a half counts as the half, and fma rounds once: so every machine draws the same lines.
  constexpr double half = 0.5 + 1e-9;
  return static_cast<int>(std::floor(std::fma(static_cast<double>(k), slope.slope, half)));
}

TracedLines trace_lines(double angle, const Shape& shape) {
  const Slope slope = slope_of(angle);
  TracedLines lines;
  lines.steep = slope.steep;
  const std::int64_t along = lines.steep ? shape.y : shape.x;
  const std::int64_t across = lines.steep ? shape.x : shape.y;
  lines.shift.resize(static_cast<std::size_t>(along));
  for (std::int64_t k = 0; k < along; ++k) lines.shift[static_cast<std::size_t>(k)] = shift_at(slope, k);
  lines.first = std::min<std::int64_t>(lines.shift.front(), lines.shift.back());
  lines.last = across - 1 + std::max<std::int64_t>(lines.shift.front(), lines.shift.back());
  return lines;
}

}  // namespace tamis::line_detail
