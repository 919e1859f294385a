// The manual page, from the same descriptions as the help.
#include <fmt/format.h>

#include <tamis/version.hpp>

#include "cli/page/app_tree.hpp"

namespace tamis::cli {
namespace {

/// Text as roff reads it: hyphens that stay hyphens, no line that looks like a request.
std::string roff(const std::string& text) {
  std::string result;
  if (text.starts_with('.') || text.starts_with('\'')) result += "\\&";
  for (const char letter : text) {
    if (letter == '-') {
      result += "\\-";
    } else if (letter == '\\') {
      result += "\\e";
    } else {
      result += letter;
    }
  }
  return result;
}

std::string entry(const std::string& label, const std::string& explanation) {
  return fmt::format(".TP\n{}\n{}\n", label, roff(explanation));
}

std::string flags_of(const OptionFacts& option) {
  std::string label;
  for (const std::string& flag : option.flags) label += (label.empty() ? "\\fB" : ", \\fB") + roff(flag) + "\\fR";
  return option.metavar.empty() ? label : label + " \\fI" + roff(option.metavar) + "\\fR";
}

std::string command_section(const CLI::App& app) {
  std::string text =
      fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", roff(full_name(app)), roff(description_of(app)), roff(synopsis(app)));
  const std::vector<const CLI::App*> kinds = commands_of(app);
  for (const CLI::App* kind : kinds) text += command_section(*kind);
  if (!kinds.empty()) return text;
  for (const OptionFacts& argument : arguments_of(app)) {
    text += entry("\\fI" + argument.name + "\\fR", argument.description);
  }
  for (const OptionGroup& group : groups_of(app)) {
    for (const OptionFacts& option : group.options) text += entry(flags_of(option), option.description);
  }
  const std::vector<std::string> examples = examples_of(app);
  if (!examples.empty()) text += ".PP\nExamples:\n.PP\n.nf\n";
  for (const std::string& example : examples) text += roff(example) + "\n";
  if (!examples.empty()) text += ".fi\n";
  return text;
}

}  // namespace

std::string man_page(const CLI::App& program) {
  std::string text = fmt::format(".TH TAMIS 1 \"\" \"tamis {}\" \"User Commands\"\n.SH NAME\ntamis \\- {}\n",
                                 TAMIS_VERSION, roff(description_of(program)));
  text += fmt::format(".SH SYNOPSIS\n.B {}\n.SH COMMANDS\n", roff(synopsis(program)));
  for (const CLI::App* command : commands_of(program)) text += command_section(*command);
  text += ".SH EXIT STATUS\n";
  text += entry("0", "all went well");
  text += entry("2", "bad input, or an environment that does not allow the work; one line on standard error says what");
  text += entry("130", "interrupted; nothing was written");
  text += entry("1", "anything else, a fault of the program");
  return text;
}

}  // namespace tamis::cli
