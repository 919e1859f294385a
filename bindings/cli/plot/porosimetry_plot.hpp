// The plot of porosimetry.
#pragma once

#include <stop_token>
#include <string>

#include <tamis/porosimetry.hpp>

namespace tamis::cli {

/// SVG: above, the share of the pores that balls of a radius above r have invaded, and the share that is so wide at
/// all; below, both as spectra. Where the second lies to the right of the first there are ink bottles. Wants
/// Porosimetry::pores.
[[nodiscard]] std::string porosimetry_svg(const Porosimetry& found, const Spacing& spacing,
                                          const std::stop_token& cancel);

}  // namespace tamis::cli
