// Size distributions as text for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/input/image.hpp"
#include "cli/output/sizes_report.hpp"

namespace tamis::cli {
namespace {

std::string threshold_text(const SizesReport& report) {
  const std::string_view side = phase_of(report);
  if (report.method == ThresholdMethod::Band) {
    return fmt::format("{:.10g}:{:.10g} ({}), the {} phase is the object", report.threshold, report.high,
                       name(report.method), side);
  }
  return fmt::format("{:.10g} ({}), the {} phase is the object", report.threshold, name(report.method), side);
}

/// "123" voxels or whole grey values; of f32 values as many digits as a column has.
std::string amount_text(const Sizes& sizes, std::int64_t count, double sum) {
  return sizes.grey && !sizes.grey->whole ? fmt::format("{:.8g}", sum) : fmt::format("{}", count);
}

std::string grey_text(const SizesReport& report) {
  const Sizes& sizes = report.sizes;
  const bool bright = report.phase == Phase::Bright;
  return fmt::format("{} the {}, {:.8g}, sum to {} in {} samples; {}", bright ? "above" : "below",
                     bright ? "lowest" : "highest", sizes.grey->base, amount_text(sizes, sizes.volume[0], sizes.sum(0)),
                     report.domain_volume, bright ? "openings" : "closings");
}

/// "8 (17 µm wide)", "8 (17 x 17 x 34 µm along x, y, z)": a size and the extent of its element.
/// A mean is no whole size; a deviation is a length beside another (`less` is size 0).
std::string size_text(const SizesReport& report, const std::optional<double>& size, bool deviation = false) {
  if (!size) return "-";
  std::string lengths;
  std::string axes;
  for (const Width& width : report.widths()) {
    const double voxels = report.voxels(*size) - (deviation ? report.voxels(0) : 0);
    lengths += fmt::format("{}{:.6g}", lengths.empty() ? "" : " x ", voxels * width.side);
    axes += (axes.empty() ? "" : ", ") + width.axis;
  }
  const std::string number = *size == std::floor(*size) ? fmt::format("{:.0f}", *size) : fmt::format("{:.4g}", *size);
  if (lengths.empty()) return number;
  const std::string unit = unit_text(width_unit(report.sizes));
  return fmt::format("{} ({} {}{})", number, lengths, unit,
                     !axes.empty() ? " along " + axes
                     : deviation   ? ""
                                   : " wide");
}

/// Lengths of the object: by diameters of balls, and by the widths of slabs that they fill.
std::string thickness_text(const SizesReport& report) {
  if (!report.thickness) return {};
  const Thickness& radius = *report.thickness;
  const double diameter = 2 * report.shortest_side;
  const std::string unit = unit_text(width_unit(report.sizes));
  const std::string deviation = fmt::format("{:.6g}", diameter * radius.standard_deviation);
  const auto figures = [&](double less) {
    return fmt::format("mean {:.6g}, standard deviation {}, maximum {:.6g} {}", diameter * radius.mean_radius - less,
                       deviation, diameter * radius.largest_radius - less, unit);
  };
  return labelled("thickness 2R", figures(0) + " (the measure of BoneJ and Fiji)") +
         labelled("width 2R - 1", figures(report.shortest_side));
}

}  // namespace

std::string SizesReport::title() const {
  return one_of_both ? fmt::format("{}, {}", short_name(file), phase_of(*this)) : short_name(file);
}

std::string_view phase_of(const SizesReport& report) { return report.phase == Phase::Bright ? "bright" : "dark"; }

ReportColumns columns_of(const std::vector<SizesReport>& reports) {
  return {reports.front().one_of_several, reports.front().one_of_both};
}

std::string element_text(const SizesReport& report) {
  return fmt::format("{}, border {}", report.element, report.border);
}

std::string_view whole_of(const Sizes& sizes) { return sizes.grey ? "grey values" : "object"; }

std::string header_text(const SizesReport& report) {
  const Layout& layout = report.layout;
  const double share =
      report.domain_volume > 0 ? static_cast<double>(report.volume) / static_cast<double>(report.domain_volume) : 0.0;
  std::string text =
      fmt::format("{}: {} {}, {}\n", report.file, to_string(layout.shape), name(layout.type), report.description);
  text += labelled("voxel size", spacing_text(layout.spacing, layout.shape.rank));
  text += labelled("ran on", report.machine);
  if (report.sizes.grey) return text + labelled("grey values", grey_text(report));
  text += labelled("threshold", threshold_text(report));
  text += labelled("share of object",
               fmt::format("{:.2f} % ({} of {} voxels)", 100 * share, report.volume, report.domain_volume));
  return text;
}

std::string to_table(const std::vector<SizesReport>& reports) {
  const ReportColumns columns = columns_of(reports);
  const std::vector<Width> kinds = widths_of(reports);
  std::size_t file_column = 4;
  for (const SizesReport& report : reports) file_column = std::max(file_column, report.file.size());
  std::string text = columns.file ? fmt::format("  {:<{}}", "file", file_column) : std::string();
  if (columns.phase) text += fmt::format("  {:<6}", "phase");
  text += fmt::format("  {:>5}", "size");
  for (const Width& kind : kinds) {
    const std::string axis = kind.axis.empty() ? "" : " " + kind.axis;
    text += fmt::format("  {:>12}", fmt::format("width{}/{}", axis, unit_text(kind.unit)));
  }
  text += fmt::format("  {:>14}  {:>9}  {:>14}\n", "volume", "fraction", "spectrum");
  for (const SizesReport& report : reports) {
    const Sizes& sizes = report.sizes;
    const std::vector<Width> widths = report.widths();
    for (std::int64_t row = 0; row < sizes.rows(); ++row) {
      const std::int64_t n = sizes.size(row);
      if (columns.file) text += fmt::format("  {:<{}}", report.file, file_column);
      if (columns.phase) text += fmt::format("  {:<6}", phase_of(report));
      text += fmt::format("  {:>5}", n);
      for (const Width& kind : kinds) {
        const Width* const width = find_width(widths, kind);
        const double voxels = report.voxels(static_cast<double>(n));
        text += fmt::format("  {:>12}", width ? fmt::format("{:.6g}", voxels * width->side) : "-");
      }
      text += fmt::format("  {:>14}  {:>9.6f}  {:>14}\n",
                          amount_text(sizes, sizes.volume[static_cast<std::size_t>(row)], sizes.sum(row)),
                          sizes.fraction(row), amount_text(sizes, sizes.spectrum(row), sizes.spectrum_sum(row)));
    }
  }
  return text;
}

std::string statistics_text(const SizesReport& report) {
  const Sizes& sizes = report.sizes;
  std::string text =
      labelled("sizes", fmt::format("0 to {} of the {}", sizes.size(sizes.rows() - 1), element_text(report)));
  text += labelled("predominant size", size_text(report, sizes.predominant()));
  text += labelled("mean size", fmt::format("{}, standard deviation {}", size_text(report, sizes.mean()),
                                        size_text(report, sizes.standard_deviation(), true)));
  text += labelled("D10, D50, D90",
               fmt::format("{}, {}, {}", size_text(report, sizes.percentile(10)),
                           size_text(report, sizes.percentile(50)), size_text(report, sizes.percentile(90))));
  text += thickness_text(report);
  text += labelled("at the border", fmt::format("{:.2f} % of the {} lies in the outermost layer of the domain, where "
                                            "its size may be cut short",
                                            100 * sizes.border_share(), whole_of(sizes)));
  text += labelled("time", times_text(report.times, report.total_seconds));
  return text;
}

}  // namespace tamis::cli
