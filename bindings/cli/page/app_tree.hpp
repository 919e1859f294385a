// The program's own description of its commands and options: what help, man page and completion are made of.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tamis::cli {

struct OptionFacts {
  std::vector<std::string> flags;  ///< "-q", "--quiet"; empty for a positional
  std::string name;                ///< "in", for a positional
  std::string metavar;             ///< "FILE", "bright|dark"; empty for a flag
  std::string description;         ///< with the default
  bool many = false;
};

struct OptionGroup {
  std::string title;
  std::vector<OptionFacts> options;
};

/// "in", "FILE...": a positional argument.
[[nodiscard]] std::string label_of(const OptionFacts& argument);
/// The positional arguments, in order.
[[nodiscard]] std::vector<OptionFacts> arguments_of(const CLI::App& app);
/// The options by group, groups in the order of their first option, the unnamed group last.
[[nodiscard]] std::vector<OptionGroup> groups_of(const CLI::App& app);
struct CommandGroup {
  std::string title;
  std::vector<const CLI::App*> commands;
};

/// The commands a user sees.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& app);
/// The same by what people want of them, in the order in which they were added.
[[nodiscard]] std::vector<CommandGroup> command_groups_of(const CLI::App& app);
[[nodiscard]] std::string name_of(const CLI::App& app);
[[nodiscard]] std::string description_of(const CLI::App& app);
/// It is the program itself, not one of its commands.
[[nodiscard]] bool is_program(const CLI::App& app);
/// "tamis phantom foam".
[[nodiscard]] std::string full_name(const CLI::App& app);
/// "tamis granulometry FILE... [options]".
[[nodiscard]] std::string synopsis(const CLI::App& app);
/// Lines broken at words; each but the first starts with `indent` spaces.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);
/// The lines of the footer: examples.
[[nodiscard]] std::vector<std::string> examples_of(const CLI::App& app);

/// tamis COMMAND --help.
[[nodiscard]] std::string help_text(const CLI::App& app);
/// The manual page, roff.
[[nodiscard]] std::string man_page(const CLI::App& program);
/// A completion script for bash.
[[nodiscard]] std::string bash_completion(const CLI::App& program);

}  // namespace tamis::cli
