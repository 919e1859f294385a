// One sample of any type to one of another type, as convert.hpp defines it. NaN is the caller's affair.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <utility>

namespace tamis::convert_detail {

/// Nearest integer, halves away from zero, clamped to the range of To, which has at most 16 bits.
template <std::integral To>
To round_to(double value) {
  constexpr double lowest = std::numeric_limits<To>::min();
  constexpr double highest = std::numeric_limits<To>::max();
  const double clamped = std::clamp(value, lowest, highest);
  // Truncation after adding a half would round 0.49999999999999994 up; that sum is not exact.
  const auto whole = static_cast<int>(clamped);
  const double rest = clamped - whole;
  return static_cast<To>(whole + (rest >= 0.5) - (rest <= -0.5));
}

template <class To, class From>
To keep_value(From sample) {
  if constexpr (std::integral<To> && std::integral<From>) {
    if (std::cmp_less(sample, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (std::cmp_greater(sample, std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(sample);
  } else if constexpr (std::integral<To>) {
    return round_to<To>(static_cast<double>(sample));
  } else if constexpr (std::same_as<From, double>) {
    constexpr double highest = std::numeric_limits<To>::max();
    return static_cast<To>(std::isinf(sample) ? sample : std::clamp(sample, -highest, highest));
  } else {
    return static_cast<To>(sample);
  }
}

/// low .. high onto the whole range of an integer type, onto 0 .. 1 for a floating-point one.
template <class To>
To through_window(double sample, double low, double high) {
  const double share = std::clamp((sample - low) / (high - low), 0.0, 1.0);
  if constexpr (std::integral<To>) {
    constexpr double lowest = std::numeric_limits<To>::min();
    constexpr double highest = std::numeric_limits<To>::max();
    return round_to<To>(lowest + share * (highest - lowest));
  } else {
    return static_cast<To>(share);
  }
}

}  // namespace tamis::convert_detail
