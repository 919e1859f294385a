// Units of length as image files spell them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tamis/image.hpp>

#include "core/place.hpp"

namespace tamis::io {

/// "um" for "µm" in any encoding, "micron", "\u00B5m" ...; empty for "pixel", "inch" and what is no unit of length
/// that a physical voxel is given in.
[[nodiscard]] std::string unit_of(std::string_view word);
/// A length along one axis as a file has it.
struct Edge {
  double length = 0;
  std::string unit;  ///< as unit_of() gives it
};
/// The size of a voxel; in micrometres where the axes have different units. Not known where one of them is no length.
/// Of an image of two axes z is {1, unit of x}.
[[nodiscard]] Spacing spacing_of(const Edge& z, const Edge& y, const Edge& x);
/// Rounds to seven significant digits: what a float of a file was meant to be (2.5, not 2.49999996).
[[nodiscard]] double rounded_to_float(double value);
/// A finite number above 0 at the start of the text; nothing if there is none. Independent of the locale.
[[nodiscard]] std::optional<double> positive_number(std::string_view text);

}  // namespace tamis::io
