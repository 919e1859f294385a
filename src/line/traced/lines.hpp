// Bresenham lines that tile an image at one angle (Soille, Breen and Jones 1996).
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/image.hpp>

namespace tamis::line_detail {

/// Lines c = first ... last, each with one sample for every x, or for every y if they are steep:
///   (x, c - shift[x])   or   (c - shift[y], y)
/// where that lies in the image. Shifts of neighbours differ by at most one and never change direction.
struct TracedLines {
  bool steep = false;
  std::vector<std::int32_t> shift;
  std::int64_t first = 0;
  std::int64_t last = 0;  ///< inside
};

/// How lines at an angle run: by `slope` samples a sample of x, or of y if they are steep.
struct Slope {
  double slope = 0;
  bool steep = false;
};
/// Angles in degrees, counter-clockwise as the picture is seen, modulo 180.
[[nodiscard]] Slope slope_of(double angle);
/// The shift at x (at y) = k.
[[nodiscard]] int shift_at(const Slope& slope, std::int64_t k);

[[nodiscard]] TracedLines trace_lines(double angle, const Shape& shape);

}  // namespace tamis::line_detail
