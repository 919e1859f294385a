#include "cli/plot/gnuplot.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/operations/one_line.hpp>

namespace tamis::cli {
namespace {

/// -d: no settings of the user or the machine. Variables of gnuplot's own are settings too; of the rest it gets what
/// it takes to be found and to find fonts.
ChildAnswer call(std::vector<std::string> options, std::string_view script, const std::stop_token& cancel) {
  static const std::vector<std::string> kept{
      "PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_CACHE_HOME"};
  options.insert(options.begin(), "gnuplot");
  return run_child(std::move(options), script, kept, {"LC_ALL=C.UTF-8"}, cancel);
}

/// gnuplot says a line number and quotes the script first; what went wrong is in the last line.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

/// gnuplot and its libraries do not look at what their writes say: a picture has to show its own end.
bool is_whole(std::string_view picture) {
  using namespace std::string_view_literals;
  if (picture.starts_with("\x89PNG"sv)) return picture.ends_with("\0\0\0\0IEND\xAE\x42\x60\x82"sv);
  return picture.substr(0, picture.find_last_not_of(" \n") + 1).ends_with("</svg>");
}

}  // namespace

void require_gnuplot(const std::stop_token& cancel) {
  if (call({"--version"}, {}, cancel).status != 0) {
    throw ResourceError("gnuplot does not run; plots and pictures want the package gnuplot-nox");
  }
}

std::string svg_page(int width, int height) {
  // Of `faint` the first two digits say how much is seen through it.
  return fmt::format(
      "set encoding utf8\nset terminal svg size {},{} noenhanced font 'DejaVu Sans,Arial,sans-serif,14'\n"
      "ink = '#737981'\nfaint = '#b0808080'\nset border lc rgb ink\nset tics textcolor rgb ink\n"
      "set key textcolor rgb ink\nset title textcolor rgb ink\nset xlabel textcolor rgb ink\n"
      "set x2label textcolor rgb ink\nset ylabel textcolor rgb ink\nset cblabel textcolor rgb ink\n",
      width, height);
}

std::string run_gnuplot(const std::string& script, const std::stop_token& cancel) {
  ChildAnswer answer = call({"-d"}, script, cancel);
  if (answer.status != 0 || answer.out.empty()) throw ResourceError("gnuplot failed: " + last_line(answer.err));
  // Of half a script it makes another picture, and says nothing.
  if (!answer.read_all) throw ResourceError("gnuplot failed: it did not read all that it was to draw");
  if (!is_whole(answer.out)) {
    throw ResourceError(fmt::format("gnuplot failed: its picture ends after {} bytes", answer.out.size()));
  }
  return std::move(answer.out);
}

namespace {

/// The letters of a text; what is none, and control characters, are question marks.
std::vector<std::string> letters_of(const std::string& text) {
  std::vector<std::string> letters;
  for (const char byte : one_line(text)) {
    const bool goes_on = (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
    if (!goes_on) letters.emplace_back();
    letters.back() += byte;
  }
  return letters;
}

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool stands_for_itself(char letter) {
  const bool word = is_digit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                    static_cast<unsigned char>(letter) >= 0x80;
  return word || std::string_view(" .,:_-+=%()/").find(letter) != std::string_view::npos;
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string plain;
  for (const std::string& letter : letters_of(text)) {
    // gnuplot writes a character reference into an SVG as it is, and leaves the end of a CDATA section standing.
    const bool spoils = (letter == "#" && plain.ends_with('&')) || (letter == ">" && plain.ends_with("]]"));
    if (spoils) plain += "\u200B";  // a space of no width
    plain += letter;
  }
  // Quotes, backquotes, macros, braces, comments: nothing of the text that means anything to gnuplot stays visible.
  std::string result = "\"";
  bool escaped = false;
  for (const char letter : plain) {
    // gnuplot takes a digit behind \043 for one more of the same number.
    escaped = !stands_for_itself(letter) || (escaped && is_digit(letter));
    result += escaped ? fmt::format("\\{:03o}", static_cast<unsigned char>(letter)) : std::string(1, letter);
  }
  return result + '"';
}

std::string elided(const std::string& text, std::size_t letters) {
  const std::vector<std::string> all = letters_of(text);
  if (all.size() <= letters) return text;
  std::string result;
  const std::size_t front = letters / 2;
  const std::size_t back = letters - front - 1;
  for (std::size_t i = 0; i < front; ++i) result += all[i];
  result += "\u2026";
  for (std::size_t i = all.size() - back; i < all.size(); ++i) result += all[i];
  return result;
}

double whole_tics(double extent, double count, double unit) {
  for (double power = 1;; power *= 10) {
    for (const double lead : {1.0, 2.0, 5.0}) {
      if (extent <= lead * power * unit * count) return lead * power * unit;
    }
  }
}

}  // namespace tamis::cli
