// Running a program: commands, exit codes, and the one line that says what went wrong.
#include "cli/program.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include <tamis/error.hpp>
#include <tamis/operations/one_line.hpp>
#include <tamis/version.hpp>

#include "cli/input/files.hpp"
#include "cli/option/options.hpp"
#include "cli/option/parameters.hpp"
#include "cli/page/app_tree.hpp"

namespace tamis::cli {
namespace {

constexpr int ok = 0;
constexpr int our_fault = 1;
constexpr int bad_input = 2;
constexpr int interrupted = 130;
constexpr int broken_pipe = 141;  // what a shell says of a program that a closed pipe ended

/// The command that the arguments reached.
const CLI::App& reached(const CLI::App& program) {
  const CLI::App* app = &program;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().back();
  return *app;
}

/// Words that are longer than any name of a file can be, by their beginnings.
std::string with_short_words(const std::string& message) {
  constexpr std::size_t longest = 4096;
  if (message.size() <= longest) return message;
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t end = std::min(message.find(' ', at), message.size());
    const std::string word = message.substr(at, end - at);
    text += word.size() > longest ? std::string(shown(word)) : word;
    if (end < message.size()) text += ' ';
    at = end + 1;
  }
  return text;
}

int fail(const CLI::App& program, const std::string& message, int code) {
  // Where even stderr cannot be written there is nobody left to tell; the exit code still says it.
  std::fputs(
      fmt::format("{}: {}\n", full_name(reached(program)), one_line(with_short_words(with_flags(message)))).c_str(),
      stderr);
  return code;
}

void require_known_command(const CLI::App& program, const std::string& word) {
  const auto named = [&](const CLI::App* command) { return command->get_name() == word; };
  if (word.starts_with('-') || !program.get_subcommands(named).empty()) return;
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(program)) names.push_back(command->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw InputError(fmt::format("{}: no such command, wanted {}{}", word, alternatives(views), suggestion(word, views)));
}

/// "--treshold: no such option; did you mean --threshold?" of what a command has no place for.
std::string about_extras(const CLI::App& program) {
  const CLI::App& app = reached(program);
  const std::vector<std::string> extras = program.remaining(true);
  const std::string word = word_as_typed(extras.front());
  const std::string help = fmt::format("{} --help lists the options", full_name(app));
  if (!extras.front().starts_with('-')) return fmt::format("{}: one argument too many; {}", word, help);
  std::vector<std::string> names;
  for (const OptionGroup& group : groups_of(app)) {
    for (const OptionFacts& option : group.options) names.insert(names.end(), option.flags.begin(), option.flags.end());
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string named = word.substr(0, word.find('='));
  std::string meant = suggestion(named, views);
  if (named == "--threshold" && std::count(names.begin(), names.end(), "--method") > 0) {
    meant = "; wanted --method with the name of one, --value V or --band LO:HI;";
  }
  return fmt::format("{}: no such option{}{} {}", word, meant, meant.empty() ? ";" : "", help);
}

/// "OUT, the file to write, is missing" of an argument by its place; other words as they come.
std::string about_missing(const std::string& words) {
  std::string name = words.substr(0, words.find(' '));
  if (name == "A" || name.starts_with('-')) return words;
  const char* const use = name == "out" ? "write" : "read";
  for (char& letter : name) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return fmt::format("{}, the file to {}, is missing", name, use);
}

/// A limit whose unit was forgotten is one of bytes.
std::string about_limit(const CLI::App& program, const Error& error) {
  if (dynamic_cast<const ResourceError*>(&error) == nullptr) return {};
  for (const char* const flag : {"--memory", "--device-memory"}) {
    const CLI::Option* const option = reached(program).get_option_no_throw(flag);
    if (option == nullptr || option->results().empty()) continue;
    const std::optional<std::int64_t> bytes = whole_number(option->results().front());
    if (bytes && *bytes < 1024) return fmt::format("; {} {} is {} bytes: {}G?", flag, *bytes, *bytes, *bytes);
  }
  return {};
}

/// Text that did not reach its file or pipe is an error too.
void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw std::system_error(errno, std::generic_category());
}

int fail(const CLI::App& program, Session& session, const std::string& message, int code) {
  session.progress.clear();
  return fail(program, message, code);
}

/// Runs what the arguments ask for; help and version are results like others.
void execute(CLI::App& program, std::vector<std::string> words) {
  try {
    if (!words.empty()) require_known_command(program, words.front());
    std::reverse(words.begin(), words.end());  // as the library wants them
    program.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", program.help());
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
  }
  flush_output();
}

}  // namespace

int run(const Program& what, const SignalWatch& signals, int argc, char** argv) {
  Session session{signals.token(), signals.sudden_end(), {}, {}, {}, {}, 0, what.shared};
  CLI::App program(what.text, what.name);
  program.formatter_fn([](const CLI::App* app, const std::string&, CLI::AppFormatMode) { return help_text(*app); });
  program.set_help_flag("-h,--help", "show this help");
  program.set_version_flag("--version", what.name + " " TAMIS_VERSION, "show the version");
  program.require_subcommand(1);
  program.footer(what.examples);
  what.add_commands(program, session);
  if (argc < 2) {
    std::fputs(help_text(program).c_str(), stderr);
    return bad_input;
  }
  try {
    execute(program, words_of(argc, argv));
    session.notes.insert(session.notes.end(), input_files().remarks().begin(), input_files().remarks().end());
    for (const std::string& note : session.notes) std::fputs(fmt::format("note: {}\n", note).c_str(), stderr);
    for (const Failure& failure : session.failures) fail(program, session, failure.message, bad_input);
    return session.failures.empty() ? session.exit_code : bad_input;
  } catch (const CLI::ExtrasError&) {
    return fail(program, about_extras(program), bad_input);
  } catch (const CLI::RequiredError& error) {
    return fail(
        program,
        fmt::format("{}; {} --help lists the options", about_missing(error.what()), full_name(reached(program))),
        bad_input);
  } catch (const CLI::ParseError& error) {
    return fail(program, fmt::format("{}; {} --help lists the options", error.what(), full_name(reached(program))),
                bad_input);
  } catch (const Cancelled& error) {
    return fail(program, session, error.what(), interrupted);
  } catch (const Error& error) {
    return fail(program, session, error.what() + about_limit(program, error), bad_input);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(program, session, fmt::format("{}: {}", error.path1().string(), error.code().message()), bad_input);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) return fail(program, session, error.what(), bad_input);
    if (error.code().value() == EPIPE) return broken_pipe;
    return fail(program, session, std::string("standard output: ") + error.code().message(), bad_input);
  } catch (const std::bad_alloc&) {
    return fail(program, session, "out of memory; --memory limits what is used", bad_input);
  } catch (const std::exception& error) {
    return fail(program, session, std::string("a fault of tamis itself: ") + error.what(), our_fault);
  }
}

}  // namespace tamis::cli
