// What the granulometry of one file came to, and how it is written: table, CSV, JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/threshold.hpp>

#include "cli/output/report.hpp"
#include "cli/output/table.hpp"
#include "cli/session.hpp"

namespace tamis::cli {

/// A length of elements along the axes that have it in common, in a unit: "width [um]", "width z [um]".
struct Width {
  std::string axis;  ///< "x", "y", "z", or empty: the same along all
  std::string unit;  ///< "um", "voxels"
  double side = 1;   ///< of a voxel
};

struct SizesReport {
  std::string file;
  std::string description;
  Layout layout;        ///< after the crop
  std::string device;   ///< what it ran on: "cpu", "cuda:0"
  std::string machine;  ///< the same for people
  std::string element;  ///< "cross", "line@30"
  std::string border;   ///< "background" or "neutral"
  Phase phase = Phase::Bright;
  bool one_of_both = false;     ///< the other phase has a report of its own
  bool one_of_several = false;  ///< other files have, or would have
  double threshold = 0;
  double high = 0;
  ThresholdMethod method = ThresholdMethod::Value;
  std::int64_t volume = 0;
  std::int64_t domain_volume = 0;
  Sizes sizes;
  bool by_balls = false;
  std::optional<Thickness> thickness;  ///< of balls
  double shortest_side = 1;            ///< what radii are counted in, in units of the spacing
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
  StageSeconds times;
  double total_seconds = 0;

  /// Name of the file without its folders, with the phase where there are both.
  [[nodiscard]] std::string title() const;

  /// What its elements are wide: one length, one for each axis where voxels are anisotropic, none of lines there. Balls
  /// are round whatever the voxels are.
  [[nodiscard]] std::vector<Width> widths() const;
  /// The elements of size n in voxels; of balls in shortest sides. n may be a mean.
  [[nodiscard]] double voxels(double n) const;
  /// The one length of size n; nothing where there is none.
  [[nodiscard]] std::optional<double> width(double n) const;
};

/// What 100 % are: "object", or "grey values".
[[nodiscard]] std::string_view whole_of(const Sizes& sizes);

/// "um" or "voxels": what widths are in.
[[nodiscard]] std::string width_unit(const Sizes& sizes);

/// The columns that tell reports apart: of the file, of the phase; both may be needed, or none.
struct ReportColumns {
  bool file = false;
  bool phase = false;
};
[[nodiscard]] ReportColumns columns_of(const std::vector<SizesReport>& reports);
/// "bright" or "dark".
[[nodiscard]] std::string_view phase_of(const SizesReport& report);

/// The kinds of lengths that occur in the reports, each once.
[[nodiscard]] std::vector<Width> widths_of(const std::vector<SizesReport>& reports);
/// That of a report that is of this kind; null if it has none.
[[nodiscard]] const Width* find_width(const std::vector<Width>& widths, const Width& kind);

/// "cross, border background": what sizes are of, wherever they are told.
[[nodiscard]] std::string element_text(const SizesReport& report);

/// size,width [um],volume,fraction,spectrum,element,border, one row a size; the columns `file` and `phase` come first where
/// there are several. There are as many columns of widths as there are kinds. Element and border are the last columns of
/// all three tables, where readers by place do not meet them.
[[nodiscard]] Table sizes_table(const std::vector<SizesReport>& reports);
/// One row a report: threshold, porosity and the figures, in voxels and in units.
[[nodiscard]] Table summary_table(const std::vector<SizesReport>& reports);
/// One row a size, columns for each report: what is left after each opening and the pattern spectrum, as shares.
[[nodiscard]] Table curves_table(const std::vector<SizesReport>& reports);

/// One object, or {"files": [...]} where there are several; and "failed" where some could not be measured.
[[nodiscard]] std::string json_text(const std::vector<SizesReport>& reports, const Session& session,
                                  const nlohmann::ordered_json& parameters);

/// The same columns for people.
[[nodiscard]] std::string to_table(const std::vector<SizesReport>& reports);

/// What is above the table: file, machine, threshold, share of the object.
[[nodiscard]] std::string header_text(const SizesReport& report);
/// What is below it: predominant size, moments, percentiles, border, times.
[[nodiscard]] std::string statistics_text(const SizesReport& report);

}  // namespace tamis::cli
