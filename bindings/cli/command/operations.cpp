// tamis operations: what every operation says of itself, for people and for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/operations.hpp>
#include <tamis/parse.hpp>

#include "cli/command/commands.hpp"
#include "cli/option/parameters.hpp"
#include "cli/page/app_tree.hpp"

namespace tamis::cli {
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

Json json_of(const OperationDescription& operation);

template <class Element>
Json list_of(const std::vector<Element>& elements) {
  Json list = Json::array();
  for (const Element& element : elements) list.push_back(json_of(element));
  return list;
}

Json json_of(const OperationDescription& operation) {
  Json json;
  json["name"] = operation.name;
  json["text"] = operation.text;
  json["details"] = operation.details;
  json["parameters"] = list_of(operation.parameters);
  json["takes"] = list_of(operation.takes);
  json["gives"] = list_of(operation.gives);
  json["reach"] = name(operation.reach);
  json["examples"] = operation.examples;
  json["notes"] = operation.notes;
  json["refuses"] = operation.refuses;
  json["references"] = operation.references;
  return json;
}

std::string text_of(const OperationDescription& operation) {
  constexpr std::size_t column = 20;
  constexpr std::size_t width = 100;
  const auto line = [&](const std::string& label, const std::string& words) {
    return fmt::format("{:<{}}{}\n", label, column, wrapped(words, column, width));
  };
  std::string text = line(operation.name, operation.text);
  for (const Parameter& parameter : operation.parameters) {
    const std::string standard = parameter.initial.empty() ? "" : fmt::format(" [{}]", parameter.initial);
    text += line("  " + parameter.name,
                 fmt::format("{}; {}{}", name(parameter.kind), with_flags(parameter.text), standard));
  }
  return text;
}

void run(bool as_json) {
  if (as_json) {
    Json json;
    json["operations"] = list_of(operations());
    json["running"] = list_of(running().parameters);
    json["reading"] = list_of(reading().parameters);
    fmt::print("{}\n", json.dump(2));
    return;
  }
  for (const OperationDescription& operation : operations()) fmt::print("{}", text_of(operation));
}

}  // namespace

void add_operations(const Command& program) {
  const auto as_json = std::make_shared<bool>(false);
  const Command command = program.add_command("operations", "what each operation takes, for people and programs");
  command.add_flag({"--json", "", "as JSON, on standard output", "Output"}, *as_json);
  command.show_examples(
      "tamis operations\n"
      "tamis operations --json");
  command.run([as_json] { run(*as_json); });
}

}  // namespace tamis::cli
