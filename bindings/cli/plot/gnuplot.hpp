// gnuplot as a drawing machine: a script in, the bytes of a picture out.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::cli {

// Another program as a function: text in, text out.

struct ChildAnswer {
  int status = 0;         ///< of waitpid, or -errno if the program could not be started
  bool read_all = false;  ///< it took its whole input
  std::string out;
  std::string err;
};

/// Runs a program of PATH. It talks to us through pipes alone, so that no limit on files cuts what it says. Of our
/// environment it sees `kept` alone, and `set`. Where a stop is requested it is killed: throws Cancelled.
[[nodiscard]] ChildAnswer run_child(std::vector<std::string> command, std::string_view input,
                                    const std::vector<std::string>& kept, std::vector<std::string> set,
                                    const std::stop_token& cancel);

/// Throws ResourceError if gnuplot is not installed, naming the package.
void require_gnuplot(const std::stop_token& cancel);

/// The first lines of a script that draws an SVG of this size. It has no background, so that it does not glare on dark
/// pages; letters and axes are in a grey that is told from white and from black alike, as the colours of data should
/// be. Scripts have these greys as `ink` and, for grids, `faint`: "tc rgb ink".
[[nodiscard]] std::string svg_page(int width, int height);

/// Runs `script`, which may hold binary data inline (plot '-' binary ...) and draws an SVG or a PNG to its standard
/// output. Throws ResourceError if gnuplot fails or the picture is not whole, Cancelled where a stop is requested.
[[nodiscard]] std::string run_gnuplot(const std::string& script, const std::stop_token& cancel);

/// Any text as a string of gnuplot's. Every text that is not ours passes here: names of files, units, titles.
/// Bytes that are not UTF-8 and control characters become question marks.
[[nodiscard]] std::string quoted(const std::string& text);

/// A text of at most `letters` letters: a longer one loses its middle.
[[nodiscard]] std::string elided(const std::string& text, std::size_t letters);

/// A distance between tics at whole multiples of `unit`, so that about `count` of them fit into `extent`.
[[nodiscard]] double whole_tics(double extent, double count, double unit);

}  // namespace tamis::cli
