#include "describe/operations.hpp"

#include <nlohmann/json.hpp>

#include <tamis/operations/parse.hpp>

namespace tamis {
namespace {

using Json = nlohmann::ordered_json;

/// A text as the value that it stands for; null where there is none.
Json value_of(const Parameter& parameter, const std::string& text) {
  if (parameter.kind == ParameterKind::Flag) return text == "true";
  if (text.empty()) return nullptr;
  if (parameter.kind == ParameterKind::Integer) return *whole_number(text);
  if (parameter.kind == ParameterKind::Number) return *finite_number(text);
  return text;
}

/// As JSON Schema has it: minimum and maximum are inside.
Json range_of(const NumberRange& range) {
  Json json;
  if (range.lowest) json[range.without_lowest ? "exclusiveMinimum" : "minimum"] = *range.lowest;
  if (range.highest) json[range.without_highest ? "exclusiveMaximum" : "maximum"] = *range.highest;
  return json;
}

template <class Element>
Json list_of(const std::vector<Element>& elements) {
  Json list = Json::array();
  for (const Element& element : elements) list.push_back(json_of(element));
  return list;
}

}  // namespace

Json json_of(const Parameter& parameter) {
  Json json;
  json["name"] = parameter.name;
  json["type"] = name(parameter.kind);
  json["default"] = value_of(parameter, parameter.initial);
  json["range"] = range_of(parameter.range);
  json["choices"] = parameter.choices.empty() ? Json(nullptr) : Json(parameter.choices);
  json["unit"] = parameter.unit.empty() ? Json(nullptr) : Json(parameter.unit);
  json["text"] = parameter.text;
  json["details"] = parameter.details;
  json["example"] = value_of(parameter, parameter.kind == ParameterKind::Flag ? "true" : parameter.example);
  json["section"] = parameter.section;
  return json;
}

Json json_of(const Data& data) {
  Json json;
  json["name"] = data.name;
  json["types"] = Json::array();
  for (const Type type : data.types) json["types"].push_back(name(type));
  json["text"] = data.text;
  return json;
}

Json json_of(const OperationDescription& operation) {
  Json json;
  json["name"] = operation.name;
  json["text"] = operation.text;
  json["details"] = operation.details;
  json["parameters"] = list_of(operation.parameters);
  json["takes"] = list_of(operation.takes);
  json["gives"] = list_of(operation.gives);
  json["gives_new_values"] = operation.gives_new_values;
  json["reach"] = name(operation.reach);
  json["examples"] = operation.examples;
  json["notes"] = operation.notes;
  json["refuses"] = operation.refuses;
  json["references"] = operation.references;
  return json;
}

Json described_operations() {
  Json json;
  json["operations"] = list_of(operations());
  json["running"] = list_of(running().parameters);
  return json;
}

}  // namespace tamis
