// The definition, word for word, in doubles, which hold every type. For tests; nothing here is fast.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "line/traced/lines.hpp"

namespace tamis::line_reference {

using line_detail::Along;
using line_detail::TracedLines;
using line_detail::TracedSegment;

inline bool below(double a, double b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

/// Extremum over the segment at every sample of one line. `outside`: what is seen beyond its ends; NaN: nothing is.
inline std::vector<double> step(const std::vector<double>& line, const TracedSegment& segment, bool erode,
                                double outside, double neutral) {
  std::vector<double> out(line.size());
  const auto n = static_cast<std::int64_t>(line.size());
  for (std::int64_t p = 0; p < n; ++p) {
    double best = neutral;
    for (std::int64_t k = 0; k < segment.length; ++k) {
      const std::int64_t at = erode ? p - segment.origin + k : p + segment.origin - k;
      const bool inside = at >= 0 && at < n;
      if (!inside && std::isnan(outside)) continue;
      const double value = inside ? line[static_cast<std::size_t>(at)] : outside;
      if (erode ? below(value, best) : below(best, value)) best = value;
    }
    out[static_cast<std::size_t>(p)] = best;
  }
  return out;
}

/// Of one line; `lowest` and `highest` are the type's, infinities for F32.
inline std::vector<double> along(const std::vector<double>& line, Along what, const TracedSegment& segment,
                                 double lowest, double highest) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const bool erode = what == Along::Erode || what == Along::Open;
  const double outside = !segment.fit ? nothing : erode ? lowest : highest;
  const std::vector<double> first = step(line, segment, erode, outside, erode ? highest : lowest);
  if (what == Along::Erode || what == Along::Dilate) return first;
  return step(first, segment, !erode, nothing, erode ? lowest : highest);
}

/// Of an image, shape.y rows of shape.x samples (z = 1).
inline std::vector<double> along(const std::vector<double>& image, const Shape& shape, Along what,
                                 const TracedSegment& segment, double lowest, double highest) {
  const TracedLines lines = line_detail::trace_lines(segment.angle, shape);
  std::vector<double> out(image.size());
  for (std::int64_t c = lines.first; c <= lines.last; ++c) {
    std::vector<double> values;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < lines.shift.size(); ++k) {
      const std::int64_t other = c - lines.shift[k];
      const auto own = static_cast<std::int64_t>(k);
      const std::int64_t x = lines.steep ? other : own;
      const std::int64_t y = lines.steep ? own : other;
      if (x < 0 || x >= shape.x || y < 0 || y >= shape.y) continue;
      places.push_back(static_cast<std::size_t>(y * shape.x + x));
      values.push_back(image[places.back()]);
    }
    const std::vector<double> result = along(values, what, segment, lowest, highest);
    for (std::size_t i = 0; i < places.size(); ++i) out[places[i]] = result[i];
  }
  return out;
}

/// What stands for the angles that tie at a sample, given by rising numbers, of `count`: the middle of the first and
/// the last one. Where what follows the last angle is the first one and they lie in both halves, that of the shorter
/// way from the one half to the other.
inline double middle_of_ties(const std::vector<int>& tied, int count, bool cyclic) {
  const double middle = (tied.front() + tied.back()) / 2.0;
  const auto second_half = std::lower_bound(tied.begin(), tied.end(), count / 2);
  if (!cyclic || second_half == tied.begin() || second_half == tied.end()) return middle;
  const int from = *second_half;
  const int to = *(second_half - 1) + count;
  if (tied.back() - tied.front() <= to - from) return middle;
  return std::fmod((from + to) / 2.0, count);
}

}  // namespace tamis::line_reference
