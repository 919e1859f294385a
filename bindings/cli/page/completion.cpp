// A completion script for bash, from the same descriptions as the help.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include <tamis/threshold.hpp>

#include "cli/page/app_tree.hpp"

namespace tamis::cli {
namespace {

/// The words of "auto|cpu|cuda" and of "V|LO:HI|METHOD"; words with capitals stand for something else.
std::string words_of(const std::string& metavar) {
  std::string words;
  std::size_t start = 0;
  while (start <= metavar.size()) {
    const std::size_t end = std::min(metavar.find('|', start), metavar.size());
    std::string word = metavar.substr(start, end - start);
    if (word == "METHOD") {
      word = threshold_method_names();
      std::erase(word, ',');
    }
    if (!word.empty() &&
        std::none_of(word.begin(), word.end(), [](unsigned char letter) { return std::isupper(letter) != 0; })) {
      words += (words.empty() ? "" : " ") + word;
    }
    start = end + 1;
  }
  return words;
}

/// The cases of one command: after an option its words or a file, else the options and files.
std::string command_case(const CLI::App& app, const std::string& path) {
  std::string values;
  std::string flags;
  for (const OptionGroup& group : groups_of(app)) {
    for (const OptionFacts& option : group.options) {
      for (const std::string& flag : option.flags) flags += (flags.empty() ? "" : " ") + flag;
      const std::string words = words_of(option.metavar);
      if (option.metavar.empty()) continue;
      const bool file = option.metavar.find("FILE") != std::string::npos;
      values += fmt::format("        {}) words=\"{}\"; files={};;\n", option.flags.back(), words, file ? 1 : 0);
    }
  }
  std::string kinds;
  for (const CLI::App* kind : commands_of(app)) kinds += " " + name_of(*kind);
  return fmt::format("    \"{}\")\n      words=\"{}{}\"; files={}\n      case \"$previous\" in\n{}      esac;;\n", path,
                     flags, kinds, kinds.empty() ? 1 : 0, values);
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
  std::string cases;
  std::string names;
  std::string kinds;
  for (const CLI::App* command : commands_of(program)) {
    names += name_of(*command) + " ";
    cases += command_case(*command, name_of(*command));
    for (const CLI::App* kind : commands_of(*command)) {
      cases += command_case(*kind, name_of(*command) + " " + name_of(*kind));
      kinds += (kinds.empty() ? "" : "|") + name_of(*kind);
    }
  }
  std::string text =
      "# bash completion for tamis\n"
      "_tamis() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words files=0\n"
      "  local command=\n"
      "  [ \"$COMP_CWORD\" -gt 1 ] && command=${COMP_WORDS[1]}\n"
      "  [ \"$COMP_CWORD\" -gt 2 ] && case ${COMP_WORDS[2]} in " +
      kinds +
      ") command=\"$command ${COMP_WORDS[2]}\";; esac\n"
      "  case \"$command\" in\n"
      "    \"\") words=\"" +
      names + "--help --version\";;\n" + cases +
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  [ \"$files\" = 0 ] || COMPREPLY+=($(compgen -f -- \"$current\"))\n"
      "}\n"
      "complete -o filenames -F _tamis tamis\n";
  return text;
}

}  // namespace tamis::cli
