// Viridis: perceptually even, readable with every kind of colour vision and in grey print.
#pragma once

#include <array>
#include <cstdint>

namespace tamis::cli {

using Rgb = std::array<std::uint8_t, 3>;

/// Colour at 0 .. 1; values outside are clamped.
[[nodiscard]] Rgb viridis(double position);

}  // namespace tamis::cli
