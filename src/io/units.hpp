// Units of length as image files spell them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tamis/image.hpp>

#include "core/units.hpp"

namespace tamis::io {

/// "um" for "µm" in any encoding, "micron", "\u00B5m" ...; empty for "pixel", "inch" and what is no unit of length
/// that a physical voxel is given in.
[[nodiscard]] std::string unit_of(std::string_view word);
/// Rounds to seven significant digits: what a float of a file was meant to be (2.5, not 2.49999996).
[[nodiscard]] double rounded_to_float(double value);
/// A finite number above 0 at the start of the text; nothing if there is none. Independent of the locale.
[[nodiscard]] std::optional<double> positive_number(std::string_view text);

}  // namespace tamis::io
