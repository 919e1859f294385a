#include "cli/plot/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/input/image.hpp"
#include "cli/plot/gnuplot.hpp"

namespace tamis::cli {
namespace {

// Okabe and Ito: told apart by every kind of colour vision.
constexpr std::array<std::string_view, 7> colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                  "#E69F00", "#56B4E9", "#8C8C8C"};

constexpr std::size_t legend_letters = 64;

std::string_view colour(std::size_t index) { return colours[index % colours.size()]; }

/// What the horizontal axis shows.
struct Axis {
  bool width = false;
  std::string label;
  std::string unit;

  /// n may be a mean.
  [[nodiscard]] double at(const SizesReport& report, double n) const { return width ? *report.width(n) : n; }
};

Axis axis_of(const std::vector<SizesReport>& reports) {
  const Sizes& first = reports.front().sizes;
  const bool width = std::all_of(reports.begin(), reports.end(), [&](const SizesReport& report) {
    return scales(report.sizes.spacing) && report.width(0) && width_unit(report.sizes) == width_unit(first);
  });
  if (!width) {
    const char* const wide = first.along_lines ? "n" : "2n+1";
    return {false, fmt::format("size n of the {} ({} voxels wide)", element_text(reports.front()), wide), ""};
  }
  const std::string unit = unit_text(width_unit(first));
  return {true, fmt::format("width ({}) of the {}", unit, element_text(reports.front())), " " + unit};
}

double percent_of_object(const Sizes& sizes, std::int64_t voxels) {
  return sizes.volume[0] > 0 ? 100.0 * static_cast<double>(voxels) / static_cast<double>(sizes.volume[0]) : 0.0;
}

/// A gnuplot data block: position, percent left, percent in the spectrum; the predominant size in a column of its own.
/// What was left unsieved in the last row is no size, and would make all bars beside it low.
std::string data_block(const std::string& block, const SizesReport& report, const Axis& axis) {
  const Sizes& sizes = report.sizes;
  std::string text = block + " << EOD\n";
  for (std::int64_t row = 0; row < sizes.rows(); ++row) {
    const bool is_left = row + 1 == sizes.rows() && sizes.unsieved_share() > 0;
    const double spectrum = is_left ? 0 : percent_of_object(sizes, sizes.spectrum(row));
    const std::int64_t n = sizes.size(row);
    const bool marked = sizes.predominant() == n;
    text += fmt::format("{} {} {} {}\n", axis.at(report, n), 100 * sizes.fraction(row), marked ? 0 : spectrum,
                        marked ? spectrum : 0);
  }
  return text + "EOD\n";
}

/// A dashed line at the mean of each file.
std::string means(const std::vector<SizesReport>& reports, const Axis& axis) {
  std::string text;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (const std::optional<double> mean = reports[i].sizes.mean()) {
      text += fmt::format("set arrow from {0},graph 0 to {0},graph 1 nohead front dt 2 lw 1.6 lc rgb {1}\n",
                          axis.at(reports[i], *mean), reports.size() == 1 ? "ink" : fmt::format("'{}'", colour(i)));
    }
  }
  return text;
}

std::string predominant_text(const SizesReport& report, const Axis& axis) {
  const Sizes& sizes = report.sizes;
  const std::optional<std::int64_t> size = sizes.predominant();
  std::string text = "no predominant size";
  if (size && axis.width) {
    text = fmt::format("predominant: {:.6g}{} (n = {})", axis.at(report, *size), axis.unit, *size);
  } else if (size) {
    text = fmt::format("predominant: n = {}", *size);
  }
  if (size) text += fmt::format("; dashed: mean {:.4g}{}", axis.at(report, *sizes.mean()), axis.unit);
  if (sizes.unsieved_share() == 0) return text;
  return text + fmt::format("; {:.3g} % left without a size", 100 * sizes.unsieved_share());
}

/// End of the horizontal axis, half a bar past the last bar, and the distance between bars.
struct Extent {
  double last = 0;
  double step = 1;
};

Extent extent_of(const std::vector<SizesReport>& reports, const Axis& axis) {
  Extent extent;
  extent.step = 0;
  for (const SizesReport& report : reports) {
    const Sizes& sizes = report.sizes;
    // The last row has nothing in it where the object empties, but shows that the curve has reached the ground.
    extent.last = std::max(extent.last, axis.at(report, sizes.size(sizes.rows() - 1)));
    const double step = axis.width ? *report.width(1) - *report.width(0) : 1.0;
    extent.step = extent.step == 0 ? step : std::min(extent.step, step);
  }
  return extent;
}

std::string curves(const std::vector<SizesReport>& reports) {
  std::string text;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    text += fmt::format("{}$d{} using 1:2 with linespoints lw 2 pt 7 ps 0.45 lc rgb '{}' title {}",
                        i == 0 ? "plot " : ", ", i, colour(i), quoted(elided(reports[i].title(), legend_letters)));
  }
  return text + "\n";
}

/// Bars for one file; steps for several, which would hide each other.
std::string spectra(const std::vector<SizesReport>& reports, const Axis& axis) {
  if (reports.size() == 1) {
    return fmt::format(
        "set style fill solid 1 noborder\nset boxwidth bar\n"
        "plot $d0 using 1:3 with boxes lc rgb '{}' notitle, $d0 using 1:4 with boxes lc rgb '{}' title {}\n",
        colour(5), colour(1), quoted(predominant_text(reports.front(), axis)));
  }
  std::string text;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    text += fmt::format(
        "{}$d{} using 1:($3+$4) with histeps lw 2 lc rgb '{}' title {}", i == 0 ? "plot " : ", ", i, colour(i),
        quoted(predominant_text(reports[i], axis) + ", " + elided(reports[i].title(), legend_letters / 2)));
  }
  return text + "\n";
}

}  // namespace

std::string plot_svg(const std::vector<SizesReport>& reports, const std::stop_token& cancel) {
  const Axis axis = axis_of(reports);
  const Extent extent = extent_of(reports, axis);
  // Legends stand above their panels, a line for each file: inside they would lie on the data.
  constexpr int panel_height = 360;
  constexpr int legend_line = 22;
  const auto files = static_cast<int>(reports.size());
  const int height = 2 * (panel_height + (files - 1) * legend_line);
  std::string script = svg_page(800, height);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    script += data_block(fmt::format("$d{}", i), reports[i], axis);
  }
  if (!axis.width) script += fmt::format("set xtics {}\n", whole_tics(extent.last, 12, 1));
  const double first = axis.width ? axis.at(reports.front(), 0) : 0;
  script += fmt::format("bar = {}\nset xrange [{}:{}]\n", 0.8 * extent.step, std::min(0.0, first - 0.7 * extent.step),
                        extent.last + 0.7 * extent.step);
  script += fmt::format(
      "set border 3\nset tics nomirror out scale 0.5\nset grid ytics lc rgb faint lw 0.8 lt 1\n"
      "set lmargin 10\nset rmargin 3\nset key above left vertical maxrows {} reverse Left samplen 1.6 spacing 1.2\nset "
      "multiplot\n"
      "set origin 0,0.5\nset size 1,0.5\nset tmargin {:.1f}\nset bmargin 2.5\nset yrange [0:103]\nset ytics 20\n"
      "set ylabel '{} left after the opening (%)'\n",
      files, files * 1.4 + 0.8, whole_of(reports.front().sizes));
  script += curves(reports);
  script += fmt::format(
      "set origin 0,0\nset bmargin 4\nset yrange [0:*]\nset ytics autofreq\nset offsets 0,0,0.5,0\n"
      "set ylabel 'pattern spectrum (% of the {})'\n",
      whole_of(reports.front().sizes));
  script += fmt::format("set xlabel {}\n", quoted(axis.label));
  script += means(reports, axis) + spectra(reports, axis);
  return run_gnuplot(script + "unset multiplot\n", cancel);
}

}  // namespace tamis::cli
