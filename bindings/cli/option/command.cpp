#include "cli/option/command.hpp"

#include <CLI/CLI.hpp>
#include <tamis/error.hpp>

namespace tamis::cli {
namespace {

// No word of a command line can hold it, so it is told from whatever a user types.
constexpr char behind_options = '\0';

template <class Target>
CLI::Option* add_by_place(CLI::App& app, const OptionWords& words, Target& target) {
  const std::string_view formats = words.placeholder != "FILE" ? ""
                                   : words.name == "out"       ? written_formats
                                                               : read_formats;
  return app.add_option(words.name, target, words.text + std::string(formats))
      ->type_name(words.placeholder)
      ->transform(word_as_typed);
}

}  // namespace

std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> words;
  bool options_ended = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool mark = options_ended && !words.empty();  // the first word is a command in any case
    if (options_ended || word != "--") words.push_back(mark ? behind_options + word : word);
    options_ended = options_ended || word == "--";
  }
  return words;
}

std::string word_as_typed(const std::string& word) { return word.starts_with(behind_options) ? word.substr(1) : word; }

Command Command::add_command(const std::string& name, const std::string& text) const {
  CLI::App* const command = app_->add_subcommand(name, text);
  if (!title_.empty()) command->group(title_);
  return Command(*command);
}

Command Command::under(const std::string& title) const {
  Command same = *this;
  same.title_ = title;
  return same;
}

void Command::require_command() const { app_->require_subcommand(1); }

void Command::add_argument(const OptionWords& words, std::string& target) const {
  add_by_place(*app_, words, target)->required();
}

void Command::add_arguments(const OptionWords& words, std::vector<std::string>& target) const {
  add_by_place(*app_, words, target)->required();
}

void Command::add_optional_argument(const OptionWords& words, std::string& target) const {
  add_by_place(*app_, words, target);
}

void Command::refuse_option(const std::string& name, const std::string& why) const {
  const auto refuse = [name, why](const std::string& word) { throw InputError(name + " " + word + ": " + why); };
  app_->add_option_function<std::string>(name, refuse)->group("");
}

void Command::add_option(const OptionWords& words, const std::function<void(const std::string&)>& read) const {
  app_->add_option_function<std::string>(words.name, read, words.text)
      ->type_name(words.placeholder)
      ->default_str(words.initial)
      ->group(words.section);
}

void Command::add_flag(const OptionWords& words, bool& target) const {
  app_->add_flag(words.name, target, words.text)->group(words.section);
}

void Command::add_flag(const OptionWords& words, const std::function<void(bool)>& turn) const {
  app_->add_flag_function(
          words.name, [turn](std::int64_t times) { turn(times > 0); }, words.text)
      ->group(words.section);
}

void Command::exclude(const std::string& name, const std::string& other) const {
  app_->get_option(name)->excludes(app_->get_option(other));
}

void Command::show_examples(const std::string& lines) const { app_->footer(lines); }

void Command::run(const std::function<void()>& work) const { app_->callback(work); }

}  // namespace tamis::cli
