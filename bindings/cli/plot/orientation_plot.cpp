#include "cli/plot/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "cli/plot/gnuplot.hpp"
#include "cli/plot/palette.hpp"

namespace tamis::cli {
namespace {

constexpr std::size_t title_letters = 56;
constexpr std::string_view marked = "#D55E00";  // Okabe and Ito: told apart by every kind of colour vision
constexpr std::string_view curve = "#0072B2";

/// The colour of a direction on a page.
std::string direction_colour(double degrees) { return hex(hsv(hue_of(degrees), 0.85, 0.88)); }

bool is_dark(const OrientationReport& report) { return report.options.phase == Phase::Dark; }

std::string lines_text(const OrientationReport& report) {
  return fmt::format("{} lines, segments of {:.6g}{}", is_dark(report) ? "dark" : "bright",
                     report.spectra[report.longest].length,
                     report.options.lines == Lines::Traced ? " along traced lines" : "");
}

/// Angles as a legend says them, with half of a unit of their last digit to spare.
std::string degrees_text(double angle) { return fmt::format("{:.1f}°", angle); }

struct Point {
  double x = 0;
  double y = 0;
};

Point on_circle(double radius, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// A sector of the rose from its centre, and the arc in pieces of a degree or so.
std::string petal(double radius, double first, double last, const std::string& colour) {
  std::string text = "set object polygon from 0,0";
  const int pieces = std::max(1, static_cast<int>(std::ceil(last - first)));
  for (int i = 0; i <= pieces; ++i) {
    const Point p = on_circle(radius, first + (last - first) * i / pieces);
    text += fmt::format(" to {:.6f},{:.6f}", p.x, p.y);
  }
  return text +
         fmt::format(" to 0,0 front fillcolor rgb '{}' fillstyle solid 0.9 border lc rgb faint lw 0.6\n", colour);
}

/// Names of the rings, and spokes every 30 degrees behind the petals.
std::string polar_grid(double outer, double ring, double names_at) {
  std::string text;
  for (int k = 1; k * ring < outer * 1.001; ++k) {
    const double radius = k * ring;
    text += fmt::format("set label '{:g} %' at {:.6f},{:.6f} center font ',12' tc rgb ink front\n", 100 * radius,
                        on_circle(radius, names_at).x, on_circle(radius, names_at).y);
  }
  for (int degrees = 0; degrees < 360; degrees += 30) {
    const Point rim = on_circle(outer, degrees);
    const Point name = on_circle(outer * 1.075, degrees);
    text += fmt::format("set arrow from 0,0 to {:.6f},{:.6f} nohead back lc rgb faint lw 0.8\n", rim.x, rim.y);
    text += fmt::format("set label '{}°' at {:.6f},{:.6f} center tc rgb ink\n", degrees % 180, name.x, name.y);
  }
  return text;
}

/// The direction to the lower right in which there is the least, for names to be read.
double emptiest(const std::vector<Sector>& sectors) {
  double direction = -75;
  double least = 2;
  for (const Sector& sector : sectors) {
    const double middle = (sector.first + sector.last) / 2;
    const double turned = middle - 180 * std::floor(middle / 180) - 180;
    if (turned < -82 || turned > -8 || sector.share >= least) continue;
    least = sector.share;
    direction = turned;
  }
  return direction;
}

/// 1, 2 or 5 times a power of ten, so that three to five rings hold `share`.
double ring_of(double share) {
  const double power = std::pow(10, std::floor(std::log10(share / 4)));
  for (const double lead : {1.0, 2.0, 5.0}) {
    if (share <= 5 * lead * power) return lead * power;
  }
  return 10 * power;
}

/// A gnuplot data block with a row for each angle: what `column` gives, and the histogram in percent.
std::string angle_rows(const OrientationReport& report, const AngularSpectrum& spectrum, const std::string& block) {
  const AngleRange& angles = report.options.angles;
  const double sum = std::accumulate(report.histogram.begin(), report.histogram.end(), 0.0);
  const auto samples = static_cast<double>(report.layout.shape.count());
  std::string text = block + " << EOD\n";
  for (std::int64_t i = 0; i < angles.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double share = sum > 0 ? 100 * report.histogram[at] / sum : 0;
    const Rgb colour = hsv(hue_of(angles.at(i)), 0.85, 0.88);
    text += fmt::format("{} {} {} {}\n", angles.at(i), spectrum.removed[at] / samples, share,
                        colour[0] << 16 | colour[1] << 8 | colour[2]);
  }
  return text + "EOD\n";
}

/// The angle within the range that stands for a direction.
double in_range(double angle, const AngleRange& angles) {
  while (angle >= angles.first + 180) angle -= 180;
  while (angle < angles.first - angles.step() / 2) angle += 180;
  return angle;
}

std::string mark_dominant(const OrientationReport& report) {
  const std::optional<double> dominant = report.dominant();
  if (!dominant) return {};
  const double at = in_range(*dominant, report.options.angles);
  return fmt::format("set arrow 1 from {0},graph 0 to {0},graph 1 nohead dt 2 lw 1.6 lc rgb '{1}'\n", at, marked);
}

std::string dominant_title(const OrientationReport& report) {
  const std::optional<double> dominant = report.dominant();
  return dominant ? "dominant: " + degrees_text(*dominant) : "no dominant angle";
}

/// The spectrum says which it is, not the rose.
std::string dominant_definition(const OrientationReport& report) {
  if (!report.dominant()) return dominant_title(report);
  return fmt::format("dashed: dominant {}, where {} least", degrees_text(*report.dominant()),
                     is_dark(report) ? "closings add" : "openings remove");
}

std::string removed_label(const OrientationReport& report) {
  return is_dark(report) ? "mean of closing - image" : "mean of image - opening";
}

/// Lengths from the shortest to the longest.
std::vector<std::size_t> by_length(const OrientationReport& report) {
  std::vector<std::size_t> order(report.spectra.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return report.spectra[a].length < report.spectra[b].length; });
  return order;
}

/// From yellow to blue green with the length, told from white and from black; the longest in the colour of a single
/// one.
std::string length_colour(std::size_t rank, std::size_t count) {
  if (rank + 1 == count) return std::string(curve);
  return hex(viridis(0.88 - 0.5 * static_cast<double>(rank) / static_cast<double>(count)));
}

std::string curves(const OrientationReport& report) {
  const std::vector<std::size_t> order = by_length(report);
  std::string text = "plot ";
  // More names than these would be a page of their own; the map below has them.
  constexpr std::size_t most_named = 8;
  for (std::size_t rank = order.size(); rank-- > 0;) {
    const bool named = order.size() > 1 && order.size() <= most_named;
    text += fmt::format("$d{} using 1:2 with lines lw {} lc rgb '{}' {}, ", order[rank],
                        rank + 1 == order.size() ? 2.4 : 1.6, length_colour(rank, order.size()),
                        named ? fmt::format("title 'L = {:.6g}'", report.spectra[order[rank]].length) : "notitle");
  }
  return text + "NaN notitle\n";
}

std::string histogram_panel(const OrientationReport& report) {
  return fmt::format(
      "set ylabel 'contrast of the samples at the angle (%)' \nset style fill solid 1 noborder\nset boxwidth {}\n"
      "set yrange [0:*]\nset offsets 0,0,graph 0.06,0\nplot $d{} using 1:3:4 with boxes lc rgb variable notitle\n",
      (report.options.angles.count > 90 ? 1.02 : 0.9) * report.options.angles.step(), report.longest);
}

/// What is removed, in percent of the mean over the angles: longer segments remove more at every angle.
std::string length_map(const OrientationReport& report) {
  const std::vector<std::size_t> order = by_length(report);
  const AngleRange& angles = report.options.angles;
  std::string palette;
  constexpr int stops = 16;
  for (int i = 0; i <= stops; ++i) {
    palette += fmt::format("{}{} '{}'", i == 0 ? "" : ", ", i, hex(viridis(1 - i / double{stops})));
  }
  std::string tics;
  std::string rows;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const AngularSpectrum& spectrum = report.spectra[order[rank]];
    const double mean = std::accumulate(spectrum.removed.begin(), spectrum.removed.end(), 0.0) /
                        static_cast<double>(spectrum.removed.size());
    const std::size_t apart = (order.size() + 11) / 12;
    if (rank % apart == 0) tics += fmt::format("{}'{:.6g}' {}", tics.empty() ? "" : ", ", spectrum.length, rank);
    for (std::int64_t i = 0; i < angles.count; ++i) {
      const double removed = spectrum.removed[static_cast<std::size_t>(i)];
      rows += fmt::format("{} {} {}\n", angles.at(i), rank, mean > 0 ? 100 * removed / mean : 100);
    }
  }
  return fmt::format(
      "set palette defined ({})\nset cblabel '{} (% of its mean)'\nset colorbox user origin 0.885,0.115 "
      "size 0.022,0.33\nunset grid\nset ylabel 'length of the segments'\nset yrange [-0.5:{}]\nset ytics ({})\n"
      "$map << EOD\n{}EOD\nplot $map using 1:2:3 with image pixels notitle\n",
      palette, is_dark(report) ? "closing - image" : "image - opening", static_cast<double>(order.size()) - 0.5, tics,
      rows);
}

}  // namespace

std::string rose_svg(const OrientationReport& report, const std::stop_token& cancel) {
  const std::vector<Sector> sectors = sectors_of(report.histogram, report.options.angles, 5);
  double most = 0;
  for (const Sector& sector : sectors) most = std::max(most, sector.share);
  const double ring = ring_of(most > 0 ? most : 1);
  const double outer = std::ceil((most > 0 ? most : 1) / ring - 1e-9) * ring;
  const double edge = outer * 1.16;
  std::string script = svg_page(560, 640);
  script += fmt::format(
      "unset border\nunset tics\nunset key\nset xrange [{0}:{1}]\nset yrange [{0}:{1}]\n"
      "set lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0.005\nset tmargin at screen 0.883\n",
      -edge, edge);
  const std::optional<double> dominant = report.dominant();
  script += fmt::format(
      "set label {} at screen 0.5, screen 0.968 center font ',15' tc rgb ink\n"
      "set label {} at screen 0.5, screen 0.932 center tc rgb ink\nset label {} at screen 0.5, screen 0.902 center tc "
      "rgb ink\n",
      quoted(elided(report.short_name(), title_letters)),
      quoted(lines_text(report) + "; petals: contrast by direction"), quoted(dominant_definition(report)));
  script += polar_grid(outer, ring, emptiest(sectors));
  for (const Sector& sector : sectors) {
    if (sector.share == 0) continue;
    // A sector is as wide as its angles reach, half a step to each side of the outermost.
    const double half = report.options.angles.step() / 2;
    const std::string colour = direction_colour((sector.first + sector.last) / 2 - half);
    for (const double turn : {0.0, 180.0}) {
      script += petal(sector.share, sector.first - half + turn, sector.last - half + turn, colour);
    }
  }
  if (dominant) {
    const Point end = on_circle(outer, *dominant);
    script += fmt::format("set arrow from {:.6f},{:.6f} to {:.6f},{:.6f} nohead front dt 2 lw 1.8 lc rgb ink\n", -end.x,
                          -end.y, end.x, end.y);
  }
  script += fmt::format(
      "set parametric\nset trange [0:2*pi]\nset samples 361\n"
      "plot for [i=1:{}] {:.6f}*i*cos(t),{:.6f}*i*sin(t) with lines lc rgb faint lw 0.8 lt 1 notitle\n",
      std::lround(outer / ring), ring, ring);
  return run_gnuplot(script, cancel);
}

std::string spectrum_svg(const OrientationReport& report, const std::stop_token& cancel) {
  const AngleRange& angles = report.options.angles;
  std::string script = svg_page(800, 760);
  for (std::size_t i = 0; i < report.spectra.size(); ++i) {
    script += angle_rows(report, report.spectra[i], fmt::format("$d{}", i));
  }
  const bool several = report.spectra.size() > 1;
  const double wide = angles.last - angles.first;
  const double tics = wide > 90 ? 15 : whole_tics(wide, 10, 0.1);
  script += fmt::format(
      "set xrange [{}:{}]\nset xtics {}\nset border 3\nset tics nomirror out scale 0.5\n"
      "set grid ytics lc rgb faint lw 0.8 lt 1\nset lmargin at screen 0.15\nset rmargin at screen {}\n"
      "set key at screen 0.995, screen 0.88 right top vertical samplen 1.4\nset multiplot\n"
      "set label 1 {} at screen 0.15, screen 0.974 left font ',15' tc rgb ink\n"
      "set label 2 {} at screen 0.15, screen 0.946 left tc rgb ink\n"
      "set label 3 {} at screen {}, screen 0.946 right tc rgb '{}'\n",
      angles.first - angles.step() / 2, angles.last, tics, several ? 0.86 : 0.97,
      quoted(elided(report.short_name(), title_letters)), quoted(lines_text(report)), quoted(dominant_title(report)),
      several ? 0.86 : 0.97, marked);
  script += fmt::format("set tmargin at screen 0.905\nset bmargin at screen 0.54\nset ylabel {}\n",
                        quoted(removed_label(report)));
  script += mark_dominant(report);
  script += "set format x ''\n" + curves(report);
  script += "unset label\nset format x '%g'\nset tmargin at screen 0.475\nset bmargin at screen 0.095\n";
  script += "set xlabel 'angle (degrees, counter-clockwise, 0 to the right)'\nset key off\n";
  if (several) script += "unset arrow 1\n";
  script += several ? length_map(report) : histogram_panel(report);
  return run_gnuplot(script + "unset multiplot\n", cancel);
}

}  // namespace tamis::cli
