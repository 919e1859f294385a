// One sample of any type to one of another type, as convert.hpp defines it. NaN is the caller's affair.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
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

/// Whether a float stands for the sample: a whole number that F32 has, or a number of F64 that is rounded to one.
template <class From>
bool becomes_f32(From sample) {
  if constexpr (std::integral<From>) {
    // Of the digits those between the first 1 and the last have to fit.
    constexpr std::uint64_t most = std::uint64_t{1} << std::numeric_limits<float>::digits;
    const auto bits = static_cast<std::uint64_t>(sample);
    const std::uint64_t digits = std::cmp_less(sample, 0) ? 0 - bits : bits;
    return digits < most || digits >> std::countr_zero(digits) < most;
  } else {
    // Half a step beyond the greatest float, where rounding would lead to infinity.
    return std::isnan(sample) || std::isinf(sample) || std::abs(sample) < 0x1.ffffffp127;
  }
}

/// A sample that a filter has chosen among such floats, or the infinity that it gives where it has none to choose from.
template <class To>
To chosen_from_f32(float sample) {
  if constexpr (std::integral<To>) {
    // The bounds themselves need not be floats; what is chosen lies inside.
    if (sample >= std::ldexp(1.0F, std::numeric_limits<To>::digits)) return std::numeric_limits<To>::max();
    if (!(sample >= static_cast<float>(std::numeric_limits<To>::min()))) return std::numeric_limits<To>::min();
  }
  return static_cast<To>(sample);
}

}  // namespace tamis::convert_detail
