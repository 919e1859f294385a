#include "c/interface.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>
#include <tamis/error.hpp>
#include <tamis/operations/masked.hpp>
#include <tamis/operations/parse.hpp>

#include "c/error.hpp"
#include "describe/operations.hpp"

namespace tamis::c {
namespace {

Parameter map_parameter(std::string text) {
  Parameter map;
  map.name = "map";
  map.kind = ParameterKind::Choice;
  map.choices = {"size", "radius", "width", "diameter"};
  map.text = std::move(text);
  map.example = "size";
  map.section = "Result";
  return map;
}

Parameter voxel_parameter() {
  Parameter voxel;
  voxel.name = "voxel";
  voxel.kind = ParameterKind::Length;
  voxel.text = "sides of the new voxels with their unit, x first: 2um or 1x1x2um";
  voxel.example = "2um";
  voxel.section = "Resampling";
  return voxel;
}

bool is_of_objects(const OperationDescription& operation) {
  const auto& all = operation.parameters;
  return operation.name == "threshold" || operation.name == "threshold_value" ||
         std::any_of(all.begin(), all.end(), [](const Parameter& one) { return one.kind == ParameterKind::Threshold; });
}

}  // namespace

std::vector<Parameter> own_parameters(const OperationDescription& operation) {
  if (operation.name == "granulometry") {
    return {
        map_parameter("also a map of the object: size, the number of the opening that removes the voxel; width, of the "
                      "largest element "
                      "that holds it; of balls and disks also radius and diameter")};
  }
  if (operation.name == "porosimetry") {
    return {
        map_parameter("also a map of what is invaded: the radius of the largest ball that gets there and covers the "
                      "voxel, its width or diameter; size, the least whole number that is no less than the radius")};
  }
  if (operation.name == "resample") return {voxel_parameter()};
  return {};
}

void check_own(const Parameter& parameter, std::string_view text) {
  if (parameter.kind == ParameterKind::Length) return static_cast<void>(parse_spacing(text));
  const std::vector<std::string_view> words(parameter.choices.begin(), parameter.choices.end());
  if (std::find(words.begin(), words.end(), text) != words.end()) return;
  throw InputError("wanted " + alternatives(words) + suggestion(text, words));
}

std::vector<Data> own_images(const OperationDescription& operation) {
  std::vector<Data> images;
  if (is_of_objects(operation)) images.push_back({"roi", {}, "what counts: where it is not 0"});
  if (operation.name == "porosimetry") images.push_back({"inlet", {}, "the fluid comes from where it is not 0"});
  if (operation.filter && takes_a_mask(operation)) images.push_back({"mask", {}, "the filter sees what is not 0 here"});
  return images;
}

std::vector<std::string> made_images(const OperationDescription& operation) {
  if (operation.name == "granulometry" || operation.name == "porosimetry") return {"map"};
  if (operation.name == "resample") return {"out"};  // of any type
  std::vector<std::string> names;
  for (const Data& data : operation.gives) {
    if (!data.types.empty()) names.push_back(data.name);
  }
  return names;
}

nlohmann::ordered_json described(const OperationDescription& operation) {
  nlohmann::ordered_json json = json_of(operation);
  for (const Parameter& parameter : own_parameters(operation)) json["parameters"].push_back(json_of(parameter));
  json["by_name"] = nlohmann::ordered_json::array();
  for (const Data& image : own_images(operation)) json["by_name"].push_back(json_of(image));
  json["makes"] = made_images(operation);
  json["filter"] = static_cast<bool>(operation.filter);
  return json;
}

}  // namespace tamis::c
