// One sample of any type to one of another type, as convert.hpp defines it. NaN is the caller's affair.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include <tamis/convert.hpp>

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

namespace tamis::convert_detail::cpu {

// A window onto 0 ... 255 in numbers with 15 binary places behind the point: how far they can be trusted.

/// A sample v becomes q = v * scale + offset in floats of 32 bits. As 2^23 is part of the offset, q is rounded to a
/// whole number, which is what the lower 23 bits of the float hold: 8 bits of the byte, then 15 behind the point. The
/// offset also holds a half, which makes truncation the nearest whole number, and `error`, which is above every error
/// of q. So the byte is that of the definition unless the 15 bits are below 2 * error.
struct ByteWindow {
  explicit ByteWindow(const Window& window) : low(window.low), width(window.high - window.low) {
    const double first = -low * 255 / width;
    // Half a unit in the last place of factor, product, offset and sum.
    const double of_one = (3 * std::abs(first) + 512) / 512 + 1;
    usable = of_one < 64 && std::isnormal(static_cast<float>(one * 255 / width));
    if (!usable) return;
    error = static_cast<std::int32_t>(1.25 * of_one) + 2;
    scale = static_cast<float>(one * 255 / width);
    offset = static_cast<float>(shift + one * first + one / 2 + error);
  }

  /// Whether all samples of a type come to lie in the window, so that none has to be taken back to its ends.
  template <class T>
  [[nodiscard]] bool holds_all() const {
    return std::is_integral_v<T> && low <= std::numeric_limits<T>::min() &&
           low + width >= std::numeric_limits<T>::max();
  }

  /// Whether no whole number comes near to where rounding changes. Of a window of whole numbers as wide as W,
  /// 2 * 255 * (v - low) - W is what decides, and takes the values of W modulo gcd(2 * 255, 2 * W).
  template <class T>
  [[nodiscard]] bool is_sure() const {
    constexpr double largest = 1 << 30;
    if (!std::is_integral_v<T> || std::abs(low) > largest || width > largest || low != std::floor(low)) return false;
    const auto w = static_cast<std::int64_t>(width);
    if (static_cast<double>(w) != width) return false;
    const std::int64_t step = 2 * std::gcd(std::int64_t{255}, w);
    const std::int64_t nearest = std::min(w % step, step - w % step);
    return static_cast<double>(nearest) / (2 * width) * one > 2 * error + 2;
  }

  static constexpr double one = 32768, shift = 8388608;
  /// The bounds of q: within a byte, far from where rounding changes.
  static constexpr float least = shift + one / 4, most = shift + 255.75 * one;

  double low, width;
  bool usable = false;
  std::int32_t error = 0;
  float scale = 0, offset = 0;
};

}  // namespace tamis::convert_detail::cpu
