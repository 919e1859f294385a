// What is done along traced lines. This header, line/traced/cpu/run.hpp and line/traced/gpu/run.hpp are what morphology
// knows of lines.
#pragma once

#include <cstdint>

namespace tamis::line_detail {

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

}  // namespace tamis::line_detail
