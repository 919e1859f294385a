#include "c/operation/sizes.hpp"

#include <functional>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

namespace tamis::c {
namespace {

constexpr Choice<BallMeasure> measures[] = {{"size", BallMeasure::Size},
                                            {"radius", BallMeasure::Radius},
                                            {"width", BallMeasure::Width},
                                            {"diameter", BallMeasure::Diameter}};

std::vector<double> column(const Sizes& sizes, const std::function<double(std::int64_t)>& of_row) {
  std::vector<double> values;
  for (std::int64_t row = 0; row < sizes.rows(); ++row) values.push_back(of_row(row));
  return values;
}

/// One column of widths, or one for each axis where voxels are anisotropic; none of lines there.
void add_widths(const Call& call, const Sizes& sizes, const std::optional<BallFigures>& balls) {
  const std::string unit = " [" + length_unit(sizes.spacing) + "]";
  if (balls) {
    call.result.add("width" + unit, column(sizes, [&](std::int64_t row) {
                      return static_cast<double>(2 * sizes.size(row) + 1) * balls->shortest_side;
                    }));
    return;
  }
  if (sizes.width(0)) {
    call.result.add("width" + unit,
                    column(sizes, [&](std::int64_t row) { return number_or_nan(sizes.width(sizes.size(row))); }));
    return;
  }
  if (!sizes.extent(0)) return;
  for (const auto& [axis, side] : {std::pair{"x", &Spacing::x}, {"y", &Spacing::y}, {"z", &Spacing::z}}) {
    if (sizes.rank == 2 && side == &Spacing::z) continue;
    call.result.add(std::string("width ") + axis + unit, column(sizes, [&, member = side](std::int64_t row) {
                      return (*sizes.extent(sizes.size(row))).*member;
                    }));
  }
}

void tell_thickness(const Call& call, const BallFigures& balls) {
  if (!balls.thickness) return;
  const double diameter = 2 * balls.shortest_side;
  const auto& [mean, deviation, largest] = *balls.thickness;
  call.result.figures["thickness"] = {{"mean_diameter", diameter * mean},
                                      {"standard_deviation", diameter * deviation},
                                      {"largest_diameter", diameter * largest},
                                      {"mean_width", diameter * mean - balls.shortest_side},
                                      {"largest_width", diameter * largest - balls.shortest_side}};
}

}  // namespace

Measure map_of(const Call& call) {
  const std::string_view map = call.parameters.text("map");
  return map.empty() ? Measure() : Measure(parse_choice(map, measures));
}

std::string map_name(const Call& call) {
  return call.operation.name == "size_map" || call.operation.name == "thickness" ? "out" : "map";
}

void refuse_map(const Measure& map, std::string_view why) {
  if (map) throw InputError("map=" + word_of(*map, measures) + ": " + std::string(why));
}

void require_map_wanted(const Call& call, bool wanted) {
  if (wanted || !call.outputs.wanted("map")) return;
  throw InputError("map: memory for one, and none is asked for; wanted map=size or another");
}

void tell_sizes(const Call& call, const Sizes& sizes, const std::optional<BallFigures>& balls) {
  call.result.add("size", column(sizes, [&](std::int64_t row) { return static_cast<double>(sizes.size(row)); }));
  add_widths(call, sizes, balls);
  call.result.add("volume", column(sizes, [&](std::int64_t row) { return sizes.sum(row); }));
  call.result.add("fraction", column(sizes, [&](std::int64_t row) { return sizes.fraction(row); }));
  call.result.add("spectrum", column(sizes, [&](std::int64_t row) { return sizes.spectrum_sum(row); }));
  nlohmann::ordered_json& json = call.result.figures;
  if (sizes.grey) json["grey_base"] = sizes.grey->base;
  json["width_unit"] = length_unit(sizes.spacing);
  json["predominant_size"] = number_or_null(sizes.predominant());
  json["mean"] = number_or_null(sizes.mean());
  json["standard_deviation"] = number_or_null(sizes.standard_deviation());
  json["d10"] = number_or_null(sizes.percentile(10));
  json["d50"] = number_or_null(sizes.percentile(50));
  json["d90"] = number_or_null(sizes.percentile(90));
  json["unsieved_share"] = sizes.unsieved_share();
  if (balls) tell_thickness(call, *balls);
  json["border_share"] = sizes.border_share();
  json["empties"] = !sizes.limited && !sizes.never_empties;
  json["machine"] = call.context.describe(sizes.device);
}

void tell_object(const Call& call, const Binary& binary) {
  nlohmann::ordered_json& json = call.result.figures;
  json["threshold"] = binary.threshold;
  if (binary.method == ThresholdMethod::Band) json["high"] = binary.high;
  json["method"] = name(binary.method);
  json["object_volume"] = binary.volume;
  json["domain_volume"] = binary.domain_volume;
}

}  // namespace tamis::c
