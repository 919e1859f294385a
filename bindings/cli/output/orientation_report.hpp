// What the orientation of one file came to, and how it is written: text, CSV, JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tamis/orientation.hpp>

#include "cli/output/report.hpp"
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
  StageSeconds times;
  double total_seconds = 0;

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

}  // namespace tamis::cli
