// JSON of size distributions.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/operations/parse.hpp>
#include <tamis/version.hpp>

#include "cli/input/several.hpp"
#include "cli/output/sizes_report.hpp"

namespace tamis::cli {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Voxels and whole grey values are whole numbers; sums of f32 values are not.
bool in_whole_numbers(const Sizes& sizes) { return !sizes.grey || sizes.grey->whole; }

Json rows_of(const SizesReport& report) {
  const Sizes& sizes = report.sizes;
  Json size = Json::array();
  Json width = Json::array();
  Json fraction = Json::array();
  Json spectrum = Json::array();
  Json volume = Json::array();
  const bool whole = in_whole_numbers(sizes);
  for (std::int64_t row = 0; row < sizes.rows(); ++row) {
    size.push_back(sizes.size(row));
    width.push_back(or_null(report.width(static_cast<double>(sizes.size(row)))));
    fraction.push_back(sizes.fraction(row));
    spectrum.push_back(whole ? Json(sizes.spectrum(row)) : Json(sizes.spectrum_sum(row)));
    volume.push_back(whole ? Json(sizes.volume[static_cast<std::size_t>(row)]) : Json(sizes.sum(row)));
  }
  Json rows = {{"size", size}, {"width", width}};
  for (const Width& along : report.widths()) {
    if (along.axis.empty()) continue;
    Json lengths = Json::array();
    for (std::int64_t row = 0; row < sizes.rows(); ++row) {
      lengths.push_back(report.voxels(static_cast<double>(sizes.size(row))) * along.side);
    }
    rows["width_" + along.axis] = lengths;
  }
  rows["volume"] = volume;
  rows["fraction"] = fraction;
  rows["spectrum"] = spectrum;
  return rows;
}

/// In the unit of widths.
Json thickness_of(const SizesReport& report) {
  const double diameter = 2 * report.shortest_side;
  const auto& [mean, deviation, largest] = *report.thickness;
  return {{"mean_diameter", diameter * mean},
          {"standard_deviation", diameter * deviation},
          {"largest_diameter", diameter * largest},
          {"mean_width", diameter * mean - report.shortest_side},
          {"largest_width", diameter * largest - report.shortest_side}};
}

Json spacing_of(const Spacing& spacing) {
  if (!scales(spacing)) return nullptr;
  return {{"x", spacing.x}, {"y", spacing.y}, {"z", spacing.z}, {"unit", length_unit(spacing)}};
}

Json object_of(const SizesReport& report) {
  const Sizes& sizes = report.sizes;
  Json json;
  json["file"] = report.file;
  json["shape"] = to_string(report.layout.shape);
  json["type"] = name(report.layout.type);
  json["format"] = report.description;
  json["spacing"] = spacing_of(report.layout.spacing);
  if (sizes.grey) {
    json["grey_base"] = sizes.grey->base;
  } else {
    json["threshold"] = report.threshold;
    if (report.method == ThresholdMethod::Band) json["high"] = report.high;
    json["method"] = name(report.method);
  }
  json["phase"] = phase_of(report);
  json["domain_volume"] = report.domain_volume;
  // The number stands under object_volume: `volume` is the column of the table.
  if (!sizes.grey) json["object_volume"] = report.volume;
  json["element"] = report.element;
  json["border"] = report.border;
  json["width_unit"] = width_unit(sizes);
  json.update(rows_of(report));
  json["predominant_size"] = or_null(sizes.predominant());
  json["mean"] = or_null(sizes.mean());
  json["standard_deviation"] = or_null(sizes.standard_deviation());
  json["d10"] = or_null(sizes.percentile(10));
  json["d50"] = or_null(sizes.percentile(50));
  json["d90"] = or_null(sizes.percentile(90));
  json["unsieved_share"] = sizes.unsieved_share();
  if (report.thickness) json["thickness"] = thickness_of(report);
  json["border_share"] = sizes.border_share();
  json["empties"] = !sizes.limited && !sizes.never_empties;
  json["warnings"] = report.warnings;
  json["notes"] = report.notes;
  json["device"] = report.device;
  json["machine"] = report.machine;
  for (const auto& [stage, seconds] : report.times) json["times"][stage] = seconds;
  json["times"]["total"] = report.total_seconds;
  return json;
}

}  // namespace

std::string width_unit(const Sizes& sizes) { return length_unit(sizes.spacing); }

std::string json_text(const std::vector<SizesReport>& reports, const Session& session, const Json& parameters) {
  Json json;
  if (!reports.front().one_of_several && !reports.front().one_of_both) {
    json = object_of(reports.front());
  } else {
    // Both phases of one file are two entries.
    json["files"] = Json::array();
    for (const SizesReport& report : reports) json["files"].push_back(object_of(report));
  }
  add_failures(json, session);
  json["parameters"] = parameters;
  json["version"] = TAMIS_VERSION;
  // Names of files need not be UTF-8; JSON has to be.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace tamis::cli
