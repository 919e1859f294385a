// What is asked of those who turn samples into packed bits.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <tamis/image.hpp>

namespace tamis::threshold_detail {

/// Between: bright is low <= sample <= high; NaN is odd. OneOf: bright is sample == high; anything else than low or
/// high is odd.
enum class Rule : std::uint8_t { Between, OneOf };

/// Rows of one slice and where their bits go.
struct PackJob {
  Type type = Type::U8;
  const std::byte* samples = nullptr;
  std::int64_t row_stride = 0;  ///< bytes
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::uint64_t* bits = nullptr;          ///< null: the samples are only checked
  const std::uint64_t* domain = nullptr;  ///< null: all samples count; same number of words per row as `bits`
  Rule rule = Rule::Between;
  bool complement = false;  ///< the object is what is not bright
  std::uint64_t low = 0;    ///< samples of `type`, as bit patterns: see sample_bits()
  std::uint64_t high = 0;
};

/// A sample as the bit pattern a PackJob carries, and back.
template <class T>
std::uint64_t sample_bits(T sample) {
  std::uint64_t pattern = 0;
  std::memcpy(&pattern, &sample, sizeof sample);
  return pattern;
}
template <class T>
T sample_of(std::uint64_t pattern) {
  T sample;
  std::memcpy(&sample, &pattern, sizeof sample);
  return sample;
}

// From a threshold given as a double to the samples of an exact type that lie above it.

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
