// Half floats (IEEE 754 binary16), which files have and images have not: they are read as f32, which holds them all.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>

#include "io/format.hpp"

namespace tamis::io {

[[nodiscard]] inline float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  // As a float with the same exponent bits, 112 powers of two too small; the product is exact, of subnormals too.
  float value = std::bit_cast<float>((half & 0x7fffU) << 13U) * 0x1p112F;
  if ((half & 0x7c00U) == 0x7c00U) value = std::bit_cast<float>(0x7f800000U | (half & 0x3ffU) << 13U);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

/// The nearest half float; of two the even one.
[[nodiscard]] inline std::uint16_t half_of(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000U : 0;
  const double size = std::fabs(value);
  if (std::isnan(value)) return 0x7e00U;
  constexpr double beyond = 65520;  // from here on the nearest is infinity
  if (size >= beyond) return sign | 0x7c00U;
  // Bits in the order of the values they stand for: the mantissa carries into the exponent.
  const int exponent = std::max(size > 0 ? std::ilogb(size) : -14, -14);
  const auto mantissa = static_cast<std::int32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(mantissa + ((exponent + 14) << 10)));
}

/// The samples of a source of u16 that are half floats, as f32.
[[nodiscard]] std::unique_ptr<Source> floats_of_halves(std::unique_ptr<Source> halves);

}  // namespace tamis::io
