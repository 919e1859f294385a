#include "cli/page/app_tree.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>

namespace tamis::cli {
namespace {

OptionFacts facts_of(const CLI::Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_snames()) facts.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) facts.flags.push_back("--" + name);
  facts.name = option.get_name();
  if (option.get_items_expected_max() > 0) facts.metavar = option.get_type_name();
  facts.many = option.get_items_expected_max() > 1;
  facts.description = option.get_description();
  if (!option.get_default_str().empty()) facts.description += fmt::format(" [{}]", option.get_default_str());
  return facts;
}

}  // namespace

std::string label_of(const OptionFacts& argument) { return argument.many ? argument.metavar + "..." : argument.name; }

std::vector<OptionFacts> arguments_of(const CLI::App& app) {
  std::vector<OptionFacts> arguments;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional()) arguments.push_back(facts_of(*option));
  }
  return arguments;
}

std::vector<OptionGroup> groups_of(const CLI::App& app) {
  std::vector<OptionGroup> groups;
  OptionGroup unnamed{"Options", {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional()) continue;
    const std::string& title = option->get_group();
    OptionGroup* group = &unnamed;
    if (title != unnamed.title) {
      const auto known =
          std::find_if(groups.begin(), groups.end(), [&](const auto& other) { return other.title == title; });
      group = known == groups.end() ? &groups.emplace_back(OptionGroup{title, {}}) : &*known;
    }
    group->options.push_back(facts_of(*option));
  }
  if (!unnamed.options.empty()) groups.push_back(std::move(unnamed));
  return groups;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<CommandGroup> command_groups_of(const CLI::App& app) {
  std::vector<CommandGroup> groups;
  for (const CLI::App* command : commands_of(app)) {
    const std::string& title = command->get_group();
    if (groups.empty() || groups.back().title != title) groups.push_back({title, {}});
    groups.back().commands.push_back(command);
  }
  return groups;
}

std::string name_of(const CLI::App& app) { return app.get_name(); }
std::string description_of(const CLI::App& app) { return app.get_description(); }
bool is_program(const CLI::App& app) { return app.get_parent() == nullptr; }

std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

std::string synopsis(const CLI::App& app) {
  std::string text = full_name(app);
  if (!commands_of(app).empty()) text += app.get_parent() ? " KIND" : " COMMAND";
  // Two files in a row are told apart by what they are for.
  for (const OptionFacts& argument : arguments_of(app)) text += " " + label_of(argument);
  return text + " [options]";
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string result;
  std::size_t column = indent;
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::vector<std::string> examples_of(const CLI::App& app) {
  std::istringstream lines(app.get_footer());
  std::vector<std::string> examples;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) examples.push_back(line);
  }
  return examples;
}

}  // namespace tamis::cli
