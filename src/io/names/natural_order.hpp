// The order people expect of numbered files: img2 before img10.
#pragma once

#include <string_view>

namespace tamis::io {

/// Runs of digits compare as numbers, everything else byte by byte; ties (img02, img2) by the plain order.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace tamis::io
