// What filters see outside of an image, and what they do with NaN.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <string>

namespace TAMIS_PUBLIC tamis {

/// What a step of a filter sees outside of the image: each erosion, dilation or median, by each part of a sum, in each
/// iteration. x runs over 0 ... n-1:
///   Neutral   nothing: an erosion leaves it out, as does a dilation; the window of a median shrinks
///   Reflect   f(-1-k) = f(k), f(n+k) = f(n-1-k): the edge sample is repeated
///   Nearest   the edge sample
///   Mirror    f(-k) = f(k), f(n-1+k) = f(n-1-k): the edge sample is not repeated
///   Wrap      f(k-n) = f(k) = f(k+n): the image again
///   Constant  `value`
///   Fit       only segments that lie inside count: an erosion sees the lowest value (a dilation the highest) where it
///             comes first, and nothing where it comes second. Traced lines only (Lines); as in Karas 2015
struct Border {
  enum class Kind : std::uint8_t { Neutral, Reflect, Nearest, Constant, Fit, Mirror, Wrap };
  Kind kind = Kind::Neutral;
  double value = 0;  ///< Constant: has to be a value of the image's type

  static Border neutral() { return {}; }
  static Border shrink() { return {}; }  ///< the name that medians have for neutral
  static Border reflect() { return {Kind::Reflect, 0}; }
  static Border nearest() { return {Kind::Nearest, 0}; }
  static Border constant(double value) { return {Kind::Constant, value}; }
  static Border fit() { return {Kind::Fit, 0}; }
  static Border mirror() { return {Kind::Mirror, 0}; }
  static Border wrap() { return {Kind::Wrap, 0}; }
  bool operator==(const Border&) const = default;
};
/// "neutral", "reflect", "nearest", "constant:3", "fit", "mirror", "wrap".
[[nodiscard]] std::string to_string(const Border& border);

/// Refuse: an image with NaN is an InputError. Ignore: NaN samples are left out; where nothing else is, NaN.
enum class NanPolicy : std::uint8_t { Refuse, Ignore };

}  // namespace tamis
