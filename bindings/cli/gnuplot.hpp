// gnuplot as a drawing machine: a script in, the bytes of a picture out.
#pragma once

#include <string>

namespace tamis::cli {

/// Throws EnvironmentError if gnuplot is not installed, naming the package.
void require_gnuplot();

/// Runs `script`, which may hold binary data inline (plot '-' binary ...) and draws to its standard output.
/// Throws EnvironmentError if gnuplot fails.
[[nodiscard]] std::string run_gnuplot(const std::string& script);

/// A text in single quotes, as gnuplot reads it.
[[nodiscard]] std::string quoted(const std::string& text);

}  // namespace tamis::cli
