// The plots of an orientation: a rose, and spectra over the angle.
#pragma once

#include <stop_token>
#include <string>

#include "cli/output/orientation_report.hpp"

namespace tamis::cli {

/// SVG: the histogram as a rose of sectors of 5 degrees, each drawn in both of its directions, 0 to the right,
/// counter-clockwise, in the colours of the picture; the dominant angle as a line.
[[nodiscard]] std::string rose_svg(const OrientationReport& report, const std::stop_token& cancel);

/// SVG: what openings remove over the angle, and below it the histogram; of several lengths below it the spectra of all
/// as a map of angle and length.
[[nodiscard]] std::string spectrum_svg(const OrientationReport& report, const std::stop_token& cancel);

}  // namespace tamis::cli
