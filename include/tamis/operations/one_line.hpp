// Texts of strangers (names, headers of files) in a line of a message or a plot.
#pragma once

#include <tamis/compiler.hpp>

#include <string>
#include <string_view>

namespace TAMIS_PUBLIC tamis {

/// Control characters and what is no UTF-8 become question marks: they break lines, steer terminals, spoil an SVG, and
/// are no valid text for Python. Whoever shows the message of an Error passes it through this.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace tamis
