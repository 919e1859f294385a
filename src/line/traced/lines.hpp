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

// What is done along traced lines. This header, line/traced/cpu/run.hpp and line/traced/gpu/run.hpp are what morphology
// knows of lines.

/// A segment of `length` samples of a line, those from index -origin to length-1-origin of a sample.
struct TracedSegment {
  std::int64_t length = 1;
  std::int64_t origin = 0;
  double angle = 0;
  bool fit = false;  ///< segments that reach out of the image do not count (Border::Kind::Fit)
};

/// Erode: minimum of f(p-origin ... p-origin+length-1) along the line, Dilate: maximum of f(p+origin-length+1 ...
/// p+origin); Open, Close: one after the other.
enum class Along : std::uint8_t { Erode, Dilate, Open, Close };

// Where the samples of one traced line lie in a slice.

/// Samples of line c, in order.
class LineIndices {
 public:
  LineIndices(const TracedLines& lines, const Shape& shape, std::int64_t c)
      : lines_(lines), width_(shape.x), across_(lines.steep ? shape.x : shape.y), line_(c) {
    end_ = static_cast<std::int64_t>(lines.shift.size());
    while (first_ < end_ && !is_inside(first_)) ++first_;
    while (end_ > first_ && !is_inside(end_ - 1)) --end_;
  }

  [[nodiscard]] std::int64_t count() const { return end_ - first_; }
  /// Calls call(i, samples from the start of the slice) for i = 0 ... count() - 1.
  template <class Call>
  void for_each(Call call) const {
    const std::int32_t* const shift = lines_.shift.data();
    for (std::int64_t k = first_; k < end_; ++k) {
      const std::int64_t other = line_ - shift[k];
      call(k - first_, lines_.steep ? k * width_ + other : other * width_ + k);
    }
  }

 private:
  [[nodiscard]] bool is_inside(std::int64_t k) const {
    const std::int64_t other = line_ - lines_.shift[static_cast<std::size_t>(k)];
    return other >= 0 && other < across_;
  }

  const TracedLines& lines_;
  std::int64_t width_;
  std::int64_t across_;
  std::int64_t line_;
  std::int64_t first_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace tamis::line_detail
