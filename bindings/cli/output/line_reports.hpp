// Orientations and skews for people, tables and plots.
#pragma once

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <tamis/deskew.hpp>
#include <tamis/orientation.hpp>

#include "cli/output/table.hpp"

namespace tamis::cli {

struct OrientationReport {
  std::string file;
  std::string description;
  Layout layout;  ///< after the crop
  std::string device;
  std::string machine;
  OrientationOptions options;
  std::vector<AngularSpectrum> spectra;
  std::size_t longest = 0;
  std::vector<double> histogram;
  double oriented_share = 0;  ///< of the samples: those that have an orientation
  std::vector<std::pair<std::string, double>> times;
  double total_seconds = 0;

  [[nodiscard]] std::string short_name() const;
  /// Of the longest segments.
  [[nodiscard]] std::optional<double> dominant() const;
  /// Of the histogram.
  [[nodiscard]] std::optional<AxialMean> mean() const;
};

/// Neighbouring angles together: all of their weight, from `first` to `last` degrees (their steps, not their middles).
struct Sector {
  double first = 0;
  double last = 0;
  double share = 0;  ///< of the histogram's sum
};
/// Sectors of at most `degrees`, each of equally many angles but for the last; where one angle is wider, each angle
/// alone.
[[nodiscard]] std::vector<Sector> sectors_of(const std::vector<double>& histogram, const AngleRange& angles,
                                             double degrees);

/// length,angle,spectrum,sum,histogram, one row for each angle of each length; the histogram is that of the longest.
[[nodiscard]] Table spectra_table_of(const OrientationReport& report);
[[nodiscard]] std::string json_text(const OrientationReport& report, const nlohmann::ordered_json& parameters);
/// For people.
[[nodiscard]] std::string to_text(const OrientationReport& report);

// What tamis deskew found, page by page, for people, tables and plots.

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
