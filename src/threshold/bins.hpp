// From counts and ranges to a Histogram: the arithmetic that does not depend on who counted. All of it is part of the
// result, so that every device gives the same to the last bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <tamis/threshold.hpp>

#include "threshold/device.hpp"

namespace tamis::threshold_detail {

/// The histogram of samples of up to 16 bits from how often each bit pattern occurs; at least one does.
template <class T>
Histogram histogram_of_patterns(const std::vector<std::int64_t>& patterns) {
  std::vector<std::int64_t> counts(patterns.size());
  constexpr auto lowest = static_cast<std::int64_t>(std::numeric_limits<T>::lowest());
  // The patterns of negative numbers come behind those of the others.
  const auto negative = std::is_signed_v<T> ? patterns.begin() + static_cast<std::ptrdiff_t>(patterns.size() / 2)
                                            : patterns.begin();
  std::rotate_copy(patterns.begin(), negative, patterns.end(), counts.begin());
  const auto first = std::find_if(counts.begin(), counts.end(), [](auto n) { return n > 0; });
  const auto last = std::find_if(counts.rbegin(), counts.rend(), [](auto n) { return n > 0; }).base();
  Histogram result;
  std::int64_t sum = 0;
  for (auto it = first; it != last; ++it) {
    result.samples += *it;
    sum += *it * (lowest + (it - counts.begin()));
  }
  result.minimum = static_cast<double>(lowest + (first - counts.begin()));
  result.maximum = static_cast<double>(lowest + (last - counts.begin()) - 1);
  result.first_centre = result.minimum;
  result.mean = static_cast<double>(sum) / static_cast<double>(result.samples);
  result.counts.assign(first, last);
  return result;
}

/// Which of the 256 bins between minimum and maximum, which differ, a sample falls into.
inline BinRule bin_rule(double minimum, double maximum) {
  BinRule rule;
  // A power of two that keeps both the range and its reciprocal finite; scaling by it is exact.
  if (!std::isfinite(maximum - minimum)) rule.unit = 0.5;
  if (maximum - minimum < 0x1p-1000) rule.unit = 0x1p200;
  rule.start = minimum * rule.unit;
  rule.scale = 256 / (maximum * rule.unit - rule.start);
  return rule;
}

}  // namespace tamis::threshold_detail
