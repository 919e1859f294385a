// Texts of users in the scripts of plots: names of files, titles. None may end its quotes, or mean anything to gnuplot.
#include <string>
#include <string_view>

#include <tamis/operations/one_line.hpp>

#include "cli/plot/gnuplot.hpp"
#include "fuzz/harness.hpp"

namespace {

using tamis::fuzz::expect;

/// What gnuplot makes of a text in double quotes in which only \ooo is special.
std::string read_back(std::string_view quoted) {
  expect(quoted.size() >= 2 && quoted.front() == '"' && quoted.back() == '"', "a text without its quotes");
  std::string text;
  for (std::size_t at = 1; at + 1 < quoted.size(); ++at) {
    const char letter = quoted[at];
    expect(std::string_view("\"'`@$#{}").find(letter) == std::string_view::npos, "a letter that means something");
    if (letter != '\\') {
      text += letter;
      continue;
    }
    int code = 0;
    for (int digit = 0; digit < 3; ++digit) {
      ++at;
      expect(at + 1 < quoted.size() && quoted[at] >= '0' && quoted[at] <= '7', "a backslash without its number");
      code = code * 8 + (quoted[at] - '0');
    }
    text += static_cast<char>(code);
  }
  return text;
}

}  // namespace

TAMIS_FUZZ_TARGET(plot_text) {
  const std::string text(tamis::fuzz::text_of(bytes));
  const std::string shown = read_back(tamis::cli::quoted(text));
  expect(tamis::one_line(shown) == shown, "a text that is no line of UTF-8");
  static_cast<void>(read_back(tamis::cli::quoted(tamis::cli::elided(text, 20))));
}
