// The help text of the program and of each command.
#include <fmt/format.h>

#include "cli/page/app_tree.hpp"

namespace tamis::cli {
namespace {

constexpr std::size_t column = 28;
constexpr std::size_t width = 92;

/// A label and its explanation, in two columns; a long label stands on a line of its own.
std::string entry(const std::string& label, const std::string& explanation) {
  const std::string words = wrapped(explanation, column, width);
  if (label.size() + 4 > column) return fmt::format("  {}\n{}{}\n", label, std::string(column, ' '), words);
  return fmt::format("  {:<{}}{}\n", label, column - 2, words);
}

std::string flags_of(const OptionFacts& option) {
  std::string label;
  for (const std::string& flag : option.flags) label += (label.empty() ? "" : ", ") + flag;
  return option.metavar.empty() ? label : label + " " + option.metavar;
}

}  // namespace

std::string help_text(const CLI::App& app) {
  std::string text = fmt::format("{}: {}\n\nUsage: {}\n", full_name(app), description_of(app), synopsis(app));
  const std::vector<CommandGroup> groups = command_groups_of(app);
  for (const CommandGroup& group : groups) {
    const std::string title = is_program(app) ? group.title : "Kinds";
    text += fmt::format("\n{}\n", groups.size() == 1 && is_program(app) ? "Commands" : title);
    for (const CLI::App* command : group.commands) text += entry(name_of(*command), description_of(*command));
  }
  const std::vector<OptionFacts> arguments = arguments_of(app);
  if (!arguments.empty()) text += "\nArguments\n";
  for (const OptionFacts& argument : arguments) text += entry(label_of(argument), argument.description);
  for (const OptionGroup& group : groups_of(app)) {
    text += fmt::format("\n{}\n", group.title);
    for (const OptionFacts& option : group.options) text += entry(flags_of(option), option.description);
  }
  const std::vector<std::string> examples = examples_of(app);
  if (!examples.empty()) text += "\nExamples\n";
  for (const std::string& example : examples) text += "  " + example + "\n";
  return text;
}

}  // namespace tamis::cli
