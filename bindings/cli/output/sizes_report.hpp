// What the granulometry of one file came to, and how it is written: table, CSV, JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tamis/balls.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/threshold.hpp>

namespace tamis::cli {

struct SizesReport {
  std::string file;
  std::string description;
  Layout layout;        ///< after the crop
  std::string device;   ///< what it ran on: "cpu", "cuda:0"
  std::string machine;  ///< the same for people
  Phase phase = Phase::Bright;
  bool one_of_both = false;  ///< the other phase has a report of its own
  double threshold = 0;
  double high = 0;
  ThresholdMethod method = ThresholdMethod::Value;
  std::int64_t volume = 0;
  std::int64_t domain_volume = 0;
  Sizes sizes;
  std::optional<Thickness> thickness;  ///< of balls
  double shortest_side = 1;            ///< what radii are counted in, in units of the spacing
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, double>> times;
  double total_seconds = 0;

  /// Name of the file without its folders.
  [[nodiscard]] std::string short_name() const;
  /// The same, with the phase where there are both.
  [[nodiscard]] std::string title() const;
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

/// size,width,volume,fraction,spectrum, one line a size; the columns `file` and `phase` come first where there are
/// several.
[[nodiscard]] std::string to_csv(const std::vector<SizesReport>& reports);

/// One object, or {"files": [...]} where there are several.
[[nodiscard]] std::string to_json(const std::vector<SizesReport>& reports, const nlohmann::ordered_json& parameters);

/// The same columns for people.
[[nodiscard]] std::string to_table(const std::vector<SizesReport>& reports);

/// What is above the table: file, machine, threshold, share of the object.
[[nodiscard]] std::string header_text(const SizesReport& report);
/// What is below it: predominant size, moments, percentiles, border, times.
[[nodiscard]] std::string statistics_text(const SizesReport& report);

}  // namespace tamis::cli
