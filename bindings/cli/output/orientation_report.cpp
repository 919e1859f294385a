#include "cli/output/line_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <nlohmann/json.hpp>

#include <tamis/version.hpp>

namespace tamis::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string line(std::string_view label, std::string_view text) { return fmt::format("  {:<18}{}\n", label, text); }

bool is_dark(const OrientationReport& report) { return report.options.phase == Phase::Dark; }

/// 12 digits: a sum of decimal steps reads as one would write it.
double rounded(double angle) { return std::stod(fmt::format("{:.12g}", angle)); }

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::string angles_text(const AngleRange& angles) {
  if (angles.count == 1) return fmt::format("1, {:.6g} degrees", angles.first);
  return fmt::format("{} from {:.6g} to {:.6g} degrees, {:.6g} apart", angles.count, angles.first,
                     rounded(angles.at(angles.count - 1)), rounded(angles.step()));
}

std::string segments_text(const OrientationReport& report) {
  std::string lengths;
  for (const double length : report.options.lengths) {
    lengths += fmt::format("{}{:.6g}", lengths.empty() ? "" : ", ", length);
  }
  return fmt::format(
      "{} long, {}; border {}; {}", lengths, report.options.lines == Lines::Traced ? "of traced lines" : "invariant",
      to_string(report.options.border), is_dark(report) ? "closings, for dark lines" : "openings, for bright lines");
}

std::string dominant_text(const OrientationReport& report) {
  const std::optional<double> angle = report.dominant();
  const char* const what = is_dark(report) ? "closings" : "openings";
  if (!angle) return fmt::format("none: {} at all angles leave the same", what);
  return fmt::format("{:.2f} degrees, counter-clockwise from the right, where {} change least", *angle, what);
}

/// What is taken away at the dominant angle, at the mean and at the worst, in grey values a sample.
std::string spectra_table(const OrientationReport& report) {
  const auto samples = static_cast<double>(report.layout.shape.count());
  std::string text = fmt::format("  {:>8}  {:>9}   {:>28}\n  {:>8}  {:>9}   {:>8}  {:>8}  {:>8}\n", "", "dominant",
                                 is_dark(report) ? "mean of closing - image" : "mean of image - opening", "length",
                                 "angle", "least", "mean", "most");
  for (const AngularSpectrum& spectrum : report.spectra) {
    const auto [least, most] = std::minmax_element(spectrum.removed.begin(), spectrum.removed.end());
    const double mean = std::accumulate(spectrum.removed.begin(), spectrum.removed.end(), 0.0) /
                        static_cast<double>(spectrum.removed.size());
    const std::optional<double> angle = dominant_angle(spectrum, report.options.angles);
    text += fmt::format("  {:>8.6g}  {:>9}   {:>8.4g}  {:>8.4g}  {:>8.4g}\n", spectrum.length,
                        angle ? fmt::format("{:.2f}", *angle) : "-", *least / samples, mean / samples, *most / samples);
  }
  return text;
}

std::string histogram_table(const OrientationReport& report) {
  const std::vector<Sector> sectors = sectors_of(report.histogram, report.options.angles,
                                                 (report.options.angles.last - report.options.angles.first) / 12);
  double most = 0;
  for (const Sector& sector : sectors) most = std::max(most, sector.share);
  std::string text = fmt::format("  {:>17}   {:>8}\n", "directions", "contrast");
  constexpr double longest_bar = 40;
  for (const Sector& sector : sectors) {
    const auto bar = static_cast<std::size_t>(most > 0 ? std::lround(longest_bar * sector.share / most) : 0);
    text += fmt::format("  {:>7.6g} to {:>6.6g}   {:>6.2f} %  {}\n", rounded(sector.first), rounded(sector.last),
                        100 * sector.share, std::string(bar, '#'));
  }
  return text;
}

std::string times_text(const OrientationReport& report) {
  std::string text;
  for (const auto& [stage, seconds] : report.times) text += fmt::format("{} {:.3f} s, ", stage, seconds);
  return text + fmt::format("total {:.3f} s", report.total_seconds);
}

}  // namespace

std::string OrientationReport::short_name() const {
  const std::filesystem::path path(file);
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

std::optional<double> OrientationReport::dominant() const { return dominant_angle(spectra[longest], options.angles); }

std::optional<AxialMean> OrientationReport::mean() const { return axial_mean(histogram, options.angles); }

std::vector<Sector> sectors_of(const std::vector<double>& histogram, const AngleRange& angles, double degrees) {
  const double sum = std::accumulate(histogram.begin(), histogram.end(), 0.0);
  // A step that is computed may be a little more than it should be.
  const auto together = std::max<std::int64_t>(1, static_cast<std::int64_t>(degrees / angles.step() + 1e-9));
  std::vector<Sector> sectors;
  for (std::int64_t i = 0; i < angles.count; i += together) {
    const std::int64_t end = std::min(i + together, angles.count);
    const double weight = std::accumulate(histogram.begin() + i, histogram.begin() + end, 0.0);
    sectors.push_back({angles.at(i), angles.at(end), sum > 0 ? weight / sum : 0});
  }
  return sectors;
}

Table spectra_table_of(const OrientationReport& report) {
  Table table{"orientation", {"length", "angle", "spectrum", "sum", "histogram"}, {}};
  for (std::size_t i = 0; i < report.spectra.size(); ++i) {
    const AngularSpectrum& spectrum = report.spectra[i];
    for (std::size_t a = 0; a < spectrum.removed.size(); ++a) {
      table.rows.push_back({spectrum.length, rounded_cell(report.options.angles.at(static_cast<std::int64_t>(a))),
                            spectrum.removed[a], spectrum.left[a],
                            i == report.longest ? Table::Cell(report.histogram[a]) : Table::Cell()});
    }
  }
  return table;
}

std::string json_text(const OrientationReport& report, const Json& parameters) {
  Json json;
  json["file"] = report.file;
  json["shape"] = to_string(report.layout.shape);
  json["type"] = name(report.layout.type);
  json["format"] = report.description;
  json["phase"] = is_dark(report) ? "dark" : "bright";
  json["dominant_angle"] = or_null(report.dominant());
  const std::optional<AxialMean> mean = report.mean();
  json["axial_mean"] = mean ? Json(mean->angle) : Json(nullptr);
  json["resultant_length"] = mean ? mean->resultant : 0;
  json["longest"] = report.options.lengths[report.longest];
  json["lengths"] = report.options.lengths;
  json["angles"] = Json::array();
  for (std::int64_t i = 0; i < report.options.angles.count; ++i) {
    json["angles"].push_back(rounded(report.options.angles.at(i)));
  }
  for (const AngularSpectrum& spectrum : report.spectra) {
    json["dominant_angles"].push_back(or_null(dominant_angle(spectrum, report.options.angles)));
    json["spectrum"].push_back(spectrum.removed);
    json["sum"].push_back(spectrum.left);
  }
  json["histogram"] = report.histogram;
  json["oriented_share"] = report.oriented_share;
  json["device"] = report.device;
  json["machine"] = report.machine;
  for (const auto& [stage, seconds] : report.times) json["times"][stage] = seconds;
  json["times"]["total"] = report.total_seconds;
  json["parameters"] = parameters;
  json["version"] = TAMIS_VERSION;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string to_text(const OrientationReport& report) {
  const Layout& layout = report.layout;
  std::string text =
      fmt::format("{}: {} {}, {}\n", report.file, to_string(layout.shape), name(layout.type), report.description);
  text += line("ran on", report.machine);
  text += line("segments", segments_text(report));
  text += line("angles", angles_text(report.options.angles));
  text += '\n' + histogram_table(report) + '\n' + spectra_table(report) + '\n';
  text += line("dominant angle", dominant_text(report));
  const std::optional<AxialMean> mean = report.mean();
  text += line("mean direction",
               mean ? fmt::format("{:.2f} degrees, axial; resultant length {:.3f}, 1 where all are the same",
                                  mean->angle, mean->resultant)
                    : "none: directions balance");
  text += line("oriented", fmt::format("{:.2f} % of the samples; the rest are the same at all angles",
                                       100 * report.oriented_share));
  text += line("time", times_text(report));
  return text;
}

}  // namespace tamis::cli
