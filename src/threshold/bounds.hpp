// From a threshold given as a double to the samples of an exact type that lie above it.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>

namespace tamis::threshold_detail {

/// Bright samples of type T: low <= sample <= high. No sample is bright if low > high.
template <class T>
struct Bounds {
  T low;
  T high;
  bool operator==(const Bounds&) const = default;
};

/// The samples with above < sample <= up_to, exactly, also where a double cannot tell neighbouring samples apart.
template <std::integral T>
Bounds<T> bounds(double above, double up_to) {
  using Limits = std::numeric_limits<T>;
  constexpr Bounds<T> none{Limits::max(), Limits::min()};
  // 2^digits and the minimum are powers of two (or 0), so both are exact as doubles; the maximum may not be.
  const double end = std::ldexp(1.0, Limits::digits);
  const auto start = static_cast<double>(Limits::min());
  if (above >= end || up_to < start) return none;
  T low = Limits::min();
  if (above >= start) {
    low = static_cast<T>(std::floor(above));
    if (low == Limits::max()) return none;
    ++low;
  }
  return {low, up_to >= end ? Limits::max() : static_cast<T>(std::floor(up_to))};
}

/// The largest T that is not above the value.
template <std::floating_point T>
T round_down(double value) {
  if (value > static_cast<double>(std::numeric_limits<T>::max())) {
    return std::isinf(value) ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
  if (value < static_cast<double>(std::numeric_limits<T>::lowest())) return -std::numeric_limits<T>::infinity();
  const auto nearest = static_cast<T>(value);
  return static_cast<double>(nearest) > value ? std::nextafter(nearest, -std::numeric_limits<T>::infinity()) : nearest;
}

template <std::floating_point T>
Bounds<T> bounds(double above, double up_to) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  return {std::nextafter(round_down<T>(above), infinity), round_down<T>(up_to)};
}

}  // namespace tamis::threshold_detail
