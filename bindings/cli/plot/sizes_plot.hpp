// The plot of size distributions.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "cli/output/sizes_report.hpp"

namespace tamis::cli {

/// SVG: above, the share of the object that stays after each opening; below, the pattern spectrum with the
/// predominant size marked. Against the width where all files have the same unit, else against the size.
[[nodiscard]] std::string plot_svg(const std::vector<SizesReport>& reports, const std::stop_token& cancel);

}  // namespace tamis::cli
