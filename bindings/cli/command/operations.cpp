// tamis operations: what every operation says of itself, for people and for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/operations.hpp>

#include "cli/command/commands.hpp"
#include "cli/option/parameters.hpp"
#include "cli/page/app_tree.hpp"
#include "describe/operations.hpp"

namespace tamis::cli {
namespace {

using Json = nlohmann::ordered_json;

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
    Json json = described_operations();
    for (const OperationDescription* shared : {&reading(), &writing()}) {
      json[shared->name] = Json::array();
      for (const Parameter& parameter : shared->parameters) json[shared->name].push_back(json_of(parameter));
    }
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
