#include "cli/plot/palette.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tamis::cli {
namespace {

// Seventeen even steps of matplotlib's viridis (CC0); straight lines between them are what the eye cannot tell from it.
constexpr std::array<Rgb, 17> anchors{{{68, 1, 84},
                                       {72, 24, 106},
                                       {71, 45, 123},
                                       {66, 64, 134},
                                       {59, 82, 139},
                                       {51, 99, 141},
                                       {44, 114, 142},
                                       {38, 130, 142},
                                       {33, 145, 140},
                                       {31, 160, 136},
                                       {40, 174, 128},
                                       {63, 188, 115},
                                       {94, 201, 98},
                                       {132, 212, 75},
                                       {173, 220, 48},
                                       {216, 226, 25},
                                       {253, 231, 37}}};

}  // namespace

Rgb viridis(double position) {
  const double at = std::clamp(position, 0.0, 1.0) * static_cast<double>(anchors.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), anchors.size() - 2);
  const double share = at - static_cast<double>(below);
  Rgb colour{};
  for (std::size_t i = 0; i < colour.size(); ++i) {
    colour[i] = static_cast<std::uint8_t>(std::lround((1 - share) * anchors[below][i] + share * anchors[below + 1][i]));
  }
  return colour;
}

Rgb hsv(double hue, double saturation, double value) {
  const double s = std::clamp(saturation, 0.0, 1.0);
  const double v = std::clamp(value, 0.0, 1.0);
  const auto part = [&](double offset) {
    const double at = std::fmod(offset + 6 * (hue - std::floor(hue)), 6);
    return static_cast<std::uint8_t>(std::lround(255 * v * (1 - s * std::clamp(std::min(at, 4 - at), 0.0, 1.0))));
  };
  return {part(5), part(3), part(1)};
}

std::string hex(const Rgb& colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]); }

}  // namespace tamis::cli
