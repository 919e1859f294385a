#include "cli/output/line_reports.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cli/plot/gnuplot.hpp"

namespace tamis::cli {
namespace {

// Okabe and Ito: told apart by every kind of colour vision.
constexpr std::array<std::string_view, 6> colours{"#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C"};
constexpr std::string_view marked = "#D55E00";
constexpr std::size_t title_letters = 56;
/// Legends of more pages would leave no room for the curves.
constexpr std::size_t most_named = 12;

/// Rounded first, so that there is no -0.000.
std::string angle_text(const Skew& page) {
  if (!page.angle) return "undecided";
  return fmt::format("{:.3f}", std::round(*page.angle * 1000) / 1000 + 0.0);
}

std::string title_of(const DeskewReport& report, std::size_t page) {
  if (report.pages.size() == 1) {
    const std::string angle = angle_text(report.pages[page]);
    return report.pages[page].angle ? angle + "°" : angle;
  }
  return fmt::format("page {}: {}", page + 1, angle_text(report.pages[page]));
}

}  // namespace

std::string angles_text(const DeskewReport& report) {
  std::string text;
  for (const Skew& page : report.pages) text += angle_text(page) + "\n";
  return text;
}

Table scores_table(const DeskewReport& report) {
  const bool several = report.pages.size() > 1;
  Table table{"scores", {"angle_degrees", "score"}, {}};
  if (several) table.columns.insert(table.columns.begin(), "page");
  for (std::size_t i = 0; i < report.pages.size(); ++i) {
    const Skew& page = report.pages[i];
    for (std::size_t k = 0; k < page.angles.size(); ++k) {
      std::vector<Table::Cell>& row = table.rows.emplace_back();
      if (several) row.emplace_back(static_cast<std::int64_t>(i + 1));
      row.push_back(rounded_cell(page.angles[k]));
      row.emplace_back(std::stod(fmt::format("{:.6g}", page.scores[k])));
    }
  }
  return table;
}

std::string scores_svg(const DeskewReport& report, const std::stop_token& cancel) {
  std::string script = svg_page(800, 400);
  std::string curves;
  for (std::size_t i = 0; i < report.pages.size(); ++i) {
    const Skew& page = report.pages[i];
    script += fmt::format("$d{} << EOD\n", i);
    for (std::size_t k = 0; k < page.angles.size(); ++k) {
      script += fmt::format("{} {}\n", page.angles[k], page.scores[k]);
    }
    script += "EOD\n";
    const std::string title = i < most_named ? "title " + quoted(title_of(report, i)) : "notitle";
    curves += fmt::format("{}$d{} using 1:2 with lines lw 2 lc rgb '{}' {}", i == 0 ? "plot " : ", ", i,
                          colours[i % colours.size()], title);
    if (!page.angle) continue;
    script += fmt::format("set arrow from {0}, graph 0 to {0}, graph 1 nohead lw 1.2 dt 2 lc rgb '{1}' back\n",
                          *page.angle, marked);
  }
  script += fmt::format(
      "set title {} offset 0,-0.3\nset border 3\nset tics nomirror out scale 0.5\n"
      "set grid ytics lc rgb faint lw 0.8 lt 1\nset lmargin 10\nset rmargin 3\n"
      "set key top right reverse Left samplen 1.6 spacing 1.2\nset xrange [{}:{}]\nset yrange [0:*]\n"
      "set offsets 0,0,graph 0.05,0\nset xlabel 'angle (degrees, positive: the text rises to the right)'\n"
      "set ylabel 'score (an angle without lines has 1)'\n",
      quoted(elided(report.file, title_letters)), -report.options.max_angle, report.options.max_angle);
  return run_gnuplot(script + curves + "\n", cancel);
}

}  // namespace tamis::cli
