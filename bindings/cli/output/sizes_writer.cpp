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

Json rows_of(const SizesReport& report) {
  const Sizes& sizes = report.sizes;
  // Voxels and whole grey values are whole numbers; sums of f32 values are not.
  const bool whole = !sizes.grey || sizes.grey->whole;
  Json rows;
  const auto column = [&](const std::string& name, const auto& value_of) {
    rows[name] = Json::array();
    for (std::int64_t row = 0; row < sizes.rows(); ++row) rows[name].push_back(value_of(row));
  };
  const auto size = [&](std::int64_t row) { return static_cast<double>(sizes.size(row)); };
  column("size", [&](std::int64_t row) { return sizes.size(row); });
  column("width", [&](std::int64_t row) { return or_null(report.width(size(row))); });
  for (const Width& along : report.widths()) {
    if (along.axis.empty()) continue;
    column("width_" + along.axis, [&](std::int64_t row) { return report.voxels(size(row)) * along.side; });
  }
  column("volume", [&](std::int64_t row) {
    return whole ? Json(sizes.volume[static_cast<std::size_t>(row)]) : Json(sizes.sum(row));
  });
  column("fraction", [&](std::int64_t row) { return sizes.fraction(row); });
  column("spectrum", [&](std::int64_t row) { return whole ? Json(sizes.spectrum(row)) : Json(sizes.spectrum_sum(row)); });
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
  return json_file(json);
}

}  // namespace tamis::cli
