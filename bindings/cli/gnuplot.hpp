// gnuplot as a drawing machine: a script in, the bytes of a picture out.
#pragma once

#include <string>

namespace tamis::cli {

/// Throws EnvironmentError if gnuplot is not installed, naming the package.
void require_gnuplot();

/// Runs `script`, which may hold binary data inline (plot '-' binary ...) and draws to its standard output.
/// Throws EnvironmentError if gnuplot fails.
[[nodiscard]] std::string run_gnuplot(const std::string& script);

/// A text in single quotes, as gnuplot reads it. Bytes that are not UTF-8 become question marks.
[[nodiscard]] std::string quoted(const std::string& text);

/// A text of at most `letters` letters: a longer one loses its middle.
[[nodiscard]] std::string elided(const std::string& text, std::size_t letters);

/// A distance between tics at whole multiples of `unit`, so that about `count` of them fit into `extent`.
[[nodiscard]] double whole_tics(double extent, double count, double unit);

}  // namespace tamis::cli
