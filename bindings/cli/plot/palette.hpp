// Viridis: perceptually even, readable with every kind of colour vision and in grey print. Hues for directions.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tamis::cli {

using Rgb = std::array<std::uint8_t, 3>;

/// Colour at 0 .. 1; values outside are clamped.
[[nodiscard]] Rgb viridis(double position);

/// Hue in turns, of which only the fraction counts: 0 red, 1/3 green, 2/3 blue. Saturation and value 0 .. 1, clamped.
[[nodiscard]] Rgb hsv(double hue, double saturation, double value);

/// The hue of a direction, degrees modulo 180: half a turn goes once round the circle of colours.
[[nodiscard]] inline double hue_of(double degrees) { return degrees / 180; }

/// "#1f77b4".
[[nodiscard]] std::string hex(const Rgb& colour);

}  // namespace tamis::cli
