// A window onto 0 ... 255 in numbers with 15 binary places behind the point: how far they can be trusted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>

#include <tamis/convert.hpp>

namespace tamis::convert_detail::cpu {

/// A sample v becomes q = v * scale + offset in floats of 32 bits. As 2^23 is part of the offset, q is rounded to a whole
/// number, which is what the lower 23 bits of the float hold: 8 bits of the byte, then 15 behind the point. The offset
/// also holds a half, which makes truncation the nearest whole number, and `error`, which is above every error of q. So
/// the byte is that of the definition unless the 15 bits are below 2 * error.
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
