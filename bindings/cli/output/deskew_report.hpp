// What tamis deskew found, page by page, for people, tables and plots.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include <tamis/deskew.hpp>

#include "cli/output/table.hpp"

namespace tamis::cli {

struct DeskewReport {
  std::string file;
  DeskewOptions options;
  std::vector<Skew> pages;
};

/// "-1.250", "undecided": a line a page.
[[nodiscard]] std::string angles_text(const DeskewReport& report);

/// Columns angle_degrees and score; in front of them page, counted from 1, where there are several.
[[nodiscard]] Table scores_table(const DeskewReport& report);

/// SVG: the scores against the angle, a curve a page, the answers marked.
[[nodiscard]] std::string scores_svg(const DeskewReport& report, const std::stop_token& cancel);

}  // namespace tamis::cli
