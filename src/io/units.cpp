#include "io/units.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace tamis::io {
namespace {

struct Unit {
  std::string_view name;
  std::array<std::string_view, 8> spellings;
};

// The micro sign is U+00B5 or the Greek U+03BC, in UTF-8, Latin-1 or ImageJ's escape.
constexpr std::array<Unit, 6> units{{
    {"nm", {"nm", "nanometer", "nanometre"}},
    {"um", {"um", "micron", "microns", "micrometer", "\xc2\xb5m", "\xce\xbcm", "\xb5m", "\\u00B5m"}},
    {"mm", {"mm", "millimeter", "millimetre"}},
    {"cm", {"cm", "centimeter", "centimetre"}},
    {"m", {"m", "meter", "metre"}},
    {"A", {"A", "angstrom", "\xc3\x85", "\xc5"}},
}};

double rounded_to_digits(double value, int digits) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits).ptr;
  double result = value;
  std::from_chars(text.data(), end, result);
  return result;
}

}  // namespace

std::string unit_of(std::string_view word) {
  for (const Unit& unit : units) {
    for (const std::string_view spelling : unit.spellings) {
      if (!spelling.empty() && word == spelling) return std::string(unit.name);
    }
  }
  return {};
}

Spacing spacing_of(const Edge& z, const Edge& y, const Edge& x) {
  const std::array<const Edge*, 3> edges{&z, &y, &x};
  const bool common = z.unit == x.unit && y.unit == x.unit;
  std::array<double, 3> lengths{};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto [length, unit] = *edges[i];
    const std::optional<double> factor = micrometres(unit);
    if (!factor || !std::isfinite(length) || length <= 0) return {};
    lengths[i] = common ? length : rounded_to_digits(length * *factor, 15);
  }
  return {lengths[0], lengths[1], lengths[2], common ? x.unit : "um"};
}

double rounded_to_float(double value) { return rounded_to_digits(value, 7); }

std::optional<double> positive_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value <= 0) return std::nullopt;
  return value;
}

}  // namespace tamis::io
