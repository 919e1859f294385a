#include "cli/plot/plots.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/input/image.hpp"
#include "cli/plot/gnuplot.hpp"

namespace tamis::cli {
namespace {

// Okabe and Ito: told apart by every kind of colour vision.
constexpr std::string_view invaded_colour = "#0072B2";
constexpr std::string_view pores_colour = "#E69F00";
constexpr std::string_view marked_colour = "#D55E00";

/// A gnuplot data block with a line for each row n: radius, and in percent of all pores what is wider than it, and what
/// lies between it and the next row. Row 0 of the invaded is what is ever reached.
std::string data_block(const char* block, const Sizes& sizes, std::int64_t of_row_0, std::int64_t all, double side) {
  std::string text = fmt::format("{} << EOD\n", block);
  const auto percent = [&](std::int64_t voxels) {
    return all == 0 ? 0 : 100 * static_cast<double>(voxels) / static_cast<double>(all);
  };
  const auto volume = [&](std::int64_t n) {
    return n == 0 ? of_row_0 : n < sizes.rows() ? sizes.volume[static_cast<std::size_t>(n)] : 0;
  };
  for (std::int64_t n = 0; n < sizes.rows(); ++n) {
    // A spectrum stands in the middle of what it is of: n < R <= n + 1.
    text += fmt::format("{} {} {} {}\n", static_cast<double>(n) * side, percent(volume(n)),
                        (static_cast<double>(n) + 0.5) * side, percent(volume(n) - volume(n + 1)));
  }
  return text + "EOD\n";
}

}  // namespace

std::string porosimetry_svg(const Porosimetry& found, const Spacing& spacing, const std::stop_token& cancel) {
  const double side = found.balls.shortest_side;
  const Sizes& pores = found.pores->sizes;
  const double last = static_cast<double>(std::max(pores.rows() - 1, found.rows() - 1)) * side;
  const std::string unit = unit_text(length_unit(spacing));
  std::string script = svg_page(800, 860);
  script += data_block("$invaded", found.balls.sizes, found.invaded, found.volume, side);
  script += data_block("$pores", pores, found.volume, found.volume, side);
  script += fmt::format(
      "set xrange [0:{}]\nset link x2 via 2*x inverse x/2\n"
      "set border 3\nset tics nomirror out scale 0.5\nset grid ytics lc rgb faint lw 0.8 lt 1\n"
      "set lmargin 10\nset rmargin 3\nset key above left vertical maxrows 3 reverse Left samplen 1.6 spacing 1.2\n"
      "set multiplot\nset origin 0,0.5\nset size 1,0.5\nset tmargin 8.5\nset bmargin 2.5\nset yrange [0:103]\nset "
      "ytics 20\n"
      "set x2tics\nset x2label {}\nset ylabel 'share of the pores (%)'\n",
      std::max(last, side), quoted(fmt::format("diameter 2r ({})", unit)));
  if (found.breakthrough) script += fmt::format("$through << EOD\n{0} 0\n{0} 103\nEOD\n", *found.breakthrough);
  script += fmt::format(
      "plot $pores using 1:2 with lines lw 2 lc rgb '{}' title {}, "
      "$invaded using 1:2 with lines lw 2.5 lc rgb '{}' title {}",
      pores_colour, quoted("pores of radii above r"), invaded_colour,
      quoted(fmt::format("invaded by balls above r; {:.2f} % never", 100 * found.never_reached())));
  if (found.breakthrough) {
    script += fmt::format(", $through using 1:2 with lines dt 2 lw 1.4 lc rgb '{}' title {}", marked_colour,
                          quoted(fmt::format("breakthrough {:.4g} {}", *found.breakthrough, unit)));
  }
  script += fmt::format(
      "\nunset x2tics\nunset x2label\nset origin 0,0\nset tmargin 3.5\nset bmargin 4\n"
      "set yrange [0:*]\nset ytics autofreq\nset offsets 0,0,0.5,0\nset ylabel 'spectrum (% of the pores)'\nset xlabel "
      "{}\n"
      "set style fill solid 1 noborder\nset boxwidth {}\n"
      "plot $invaded using 3:4 with boxes lc rgb '{}' title {}, $pores using 3:4 with histeps lw 2 lc rgb '{}' title "
      "{}\n",
      quoted(fmt::format("radius r ({})", unit)), 0.8 * side, "#56B4E9", quoted("radius at which a pore is invaded"),
      pores_colour, quoted("radius of the pore itself"));
  return run_gnuplot(script + "unset multiplot\n", cancel);
}

}  // namespace tamis::cli
