// Size distributions as tables.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/output/sizes_report.hpp"

namespace tamis::cli {
namespace {

using Cell = Table::Cell;

std::string header(std::string_view what, const Width& width) {
  return fmt::format("{}{}{} [{}]", what, width.axis.empty() ? "" : " ", width.axis, width.unit);
}

/// Voxels and whole grey values are whole numbers; sums of f32 values are not.
Cell amount(const Sizes& sizes, std::int64_t count, double sum) {
  if (sizes.grey && !sizes.grey->whole) return sum;
  return count;
}

Cell cell_of(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

Cell threshold_of(const SizesReport& report) {
  if (report.sizes.grey) return {};
  if (report.method != ThresholdMethod::Band) return report.threshold;
  return fmt::format("{}:{}", report.threshold, report.high);
}

Cell porosity_of(const SizesReport& report) {
  if (report.sizes.grey || report.domain_volume == 0) return {};
  return static_cast<double>(report.volume) / static_cast<double>(report.domain_volume);
}

/// A figure of the sizes as a length: n, and for a standard deviation the length of its interval.
struct Figure {
  std::string_view name;
  std::optional<double> from;
  std::optional<double> to;

  [[nodiscard]] Cell length(const SizesReport& report, double side) const {
    if (!to) return {};
    return rounded_cell((report.voxels(*to) - (from ? report.voxels(*from) : 0)) * side);
  }
};

std::vector<Figure> figures_of(const Sizes& sizes) {
  const auto size = [](const std::optional<std::int64_t>& n) {
    return n ? std::optional(static_cast<double>(*n)) : std::nullopt;
  };
  return {{"mean", {}, sizes.mean()},
          {"sd", 0.0, sizes.standard_deviation()},
          {"D10", {}, size(sizes.percentile(10))},
          {"D50", {}, size(sizes.percentile(50))},
          {"D90", {}, size(sizes.percentile(90))},
          {"predominant", {}, size(sizes.predominant())}};
}

/// Of balls, 2R; in shortest sides.
std::vector<std::pair<std::string_view, std::optional<double>>> thickness_of(const SizesReport& report) {
  if (!report.thickness) return {{"thickness mean", {}}, {"thickness sd", {}}, {"thickness max", {}}};
  const Thickness& radius = *report.thickness;
  return {{"thickness mean", 2 * radius.mean_radius},
          {"thickness sd", 2 * radius.standard_deviation},
          {"thickness max", 2 * radius.largest_radius}};
}

/// The figures of a report in one kind of lengths; empty cells where that is null.
void add_figures(std::vector<Cell>& row, const SizesReport& report, const Width* width, bool thickness) {
  for (const Figure& figure : figures_of(report.sizes)) {
    row.push_back(width ? figure.length(report, width->side) : Cell());
  }
  if (!thickness) return;
  for (const auto& [name, sides] : thickness_of(report)) {
    row.push_back(width && sides ? rounded_cell(*sides * width->side) : Cell());
  }
}

Table with_element(Table table, const SizesReport& report) {
  table.columns.insert(table.columns.end(), {"element", "border"});
  for (std::vector<Cell>& row : table.rows) row.insert(row.end(), {Cell(report.element), Cell(report.border)});
  return table;
}

/// What is left after the opening of size n; nothing where that is not known.
std::optional<double> fraction_at(const Sizes& sizes, std::int64_t n,
                                  const std::map<std::int64_t, std::int64_t>& rows) {
  if (const auto row = rows.find(n); row != rows.end()) return sizes.fraction(row->second);
  const bool emptied = sizes.volume.back() == 0 && n > sizes.size(sizes.rows() - 1);
  return emptied ? std::optional(0.0) : std::nullopt;
}

double share_of_spectrum(const Sizes& sizes, std::int64_t row) {
  return sizes.volume[0] == 0 ? 0 : static_cast<double>(sizes.spectrum(row)) / static_cast<double>(sizes.volume[0]);
}

}  // namespace

std::vector<Width> SizesReport::widths() const {
  const std::string unit = width_unit(sizes);
  if (by_balls) return {{"", unit, shortest_side}};
  if (sizes.spacing.isotropic(sizes.rank)) return {{"", unit, sizes.spacing.x}};
  if (sizes.along_lines) return {};  // their direction need not be an axis
  std::vector<Width> all{{"x", unit, sizes.spacing.x}, {"y", unit, sizes.spacing.y}};
  if (sizes.rank == 3) all.push_back({"z", unit, sizes.spacing.z});
  return all;
}

double SizesReport::voxels(double n) const { return sizes.along_lines ? n : 2 * n + 1; }

std::optional<double> SizesReport::width(double n) const {
  const std::vector<Width> all = widths();
  return all.size() == 1 ? std::optional(voxels(n) * all.front().side) : std::nullopt;
}

const Width* find_width(const std::vector<Width>& widths, const Width& kind) {
  const auto found = std::find_if(widths.begin(), widths.end(), [&](const Width& width) {
    return width.axis == kind.axis && width.unit == kind.unit;
  });
  return found == widths.end() ? nullptr : &*found;
}

std::vector<Width> widths_of(const std::vector<SizesReport>& reports) {
  std::vector<Width> kinds;
  for (const SizesReport& report : reports) {
    for (const Width& width : report.widths()) {
      if (!find_width(kinds, width)) kinds.push_back(width);
    }
  }
  return kinds;
}

Table sizes_table(const std::vector<SizesReport>& reports) {
  const ReportColumns columns = columns_of(reports);
  const std::vector<Width> kinds = widths_of(reports);
  Table table{"sizes", {}, {}};
  if (columns.file) table.columns.emplace_back("file");
  if (columns.phase) table.columns.emplace_back("phase");
  table.columns.emplace_back("size");
  for (const Width& kind : kinds) table.columns.push_back(header("width", kind));
  for (const char* const column : {"volume", "fraction", "spectrum"}) table.columns.emplace_back(column);
  for (const SizesReport& report : reports) {
    const Sizes& sizes = report.sizes;
    const std::vector<Width> widths = report.widths();
    for (std::int64_t row = 0; row < sizes.rows(); ++row) {
      const std::int64_t n = sizes.size(row);
      std::vector<Cell>& cells = table.rows.emplace_back();
      if (columns.file) cells.emplace_back(report.file);
      if (columns.phase) cells.emplace_back(std::string(phase_of(report)));
      cells.emplace_back(n);
      for (const Width& kind : kinds) {
        const Width* const width = find_width(widths, kind);
        cells.push_back(width ? rounded_cell(report.voxels(static_cast<double>(n)) * width->side) : Cell());
      }
      cells.push_back(amount(sizes, sizes.volume[static_cast<std::size_t>(row)], sizes.sum(row)));
      cells.emplace_back(sizes.fraction(row));
      cells.push_back(amount(sizes, sizes.spectrum(row), sizes.spectrum_sum(row)));
    }
  }
  return with_element(std::move(table), reports.front());
}

Table summary_table(const std::vector<SizesReport>& reports) {
  const Width in_voxels{"", "voxels", 1};
  std::vector<Width> kinds{in_voxels};
  for (const Width& kind : widths_of(reports)) {
    if (!find_width(kinds, kind)) kinds.push_back(kind);
  }
  const bool thickness = std::any_of(reports.begin(), reports.end(),
                                     [](const SizesReport& report) { return report.thickness.has_value(); });
  Table table{"summary", {"file", "phase", "threshold", "porosity", "surface share", "unsieved share"}, {}};
  for (const Width& kind : kinds) {
    for (const Figure& figure : figures_of(reports.front().sizes)) table.columns.push_back(header(figure.name, kind));
    if (!thickness) continue;
    for (const auto& [name, sides] : thickness_of(reports.front())) table.columns.push_back(header(name, kind));
  }
  for (const SizesReport& report : reports) {
    std::vector<Cell> row{report.file,         std::string(phase_of(report)), threshold_of(report),
                          porosity_of(report), report.sizes.border_share(),   report.sizes.unsieved_share()};
    const std::vector<Width> widths = report.widths();
    for (const Width& kind : kinds) {
      const Width* const width = kind.unit == in_voxels.unit ? &in_voxels : find_width(widths, kind);
      add_figures(row, report, width, thickness);
    }
    table.rows.push_back(std::move(row));
  }
  return with_element(std::move(table), reports.front());
}

Table curves_table(const std::vector<SizesReport>& reports) {
  // Rows of each size, and the sizes of all.
  std::vector<std::map<std::int64_t, std::int64_t>> rows(reports.size());
  std::map<std::int64_t, std::vector<Cell>> lines;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Sizes& sizes = reports[i].sizes;
    for (std::int64_t row = 0; row < sizes.rows(); ++row) {
      rows[i][sizes.size(row)] = row;
      lines[sizes.size(row)] = {Cell(sizes.size(row))};
    }
  }
  Table table{"curves", {"size"}, {}};
  // Lengths stand once where all reports have the same.
  const auto key = [](const SizesReport& report) {
    std::string text;
    for (const Width& width : report.widths()) text += fmt::format("{} {} {} ", width.axis, width.unit, width.side);
    return text;
  };
  const bool shared = std::all_of(reports.begin(), reports.end(),
                                  [&](const SizesReport& report) { return key(report) == key(reports.front()); });
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const SizesReport& report = reports[i];
    const Sizes& sizes = report.sizes;
    const ReportColumns columns = columns_of(reports);
    const std::string phase(phase_of(report));
    const std::string title = columns.file && columns.phase ? report.file + " " + phase
                              : columns.phase               ? phase
                                                            : report.file;
    if (!shared || i == 0) {
      for (const Width& width : report.widths()) {
        table.columns.push_back(header("width", width) + (shared ? "" : " " + title));
        for (auto& [n, line] : lines) line.push_back(rounded_cell(report.voxels(static_cast<double>(n)) * width.side));
      }
    }
    table.columns.push_back("fraction " + title);
    table.columns.push_back("spectrum share " + title);
    for (auto& [n, line] : lines) {
      const auto row = rows[i].find(n);
      line.push_back(cell_of(fraction_at(sizes, n, rows[i])));
      const bool beyond = row == rows[i].end();
      line.push_back(beyond ? cell_of(fraction_at(sizes, n, rows[i])) : Cell(share_of_spectrum(sizes, row->second)));
    }
  }
  for (auto& [n, line] : lines) table.rows.push_back(std::move(line));
  return with_element(std::move(table), reports.front());
}

}  // namespace tamis::cli
