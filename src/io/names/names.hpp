// Names of files: in which order, and which was meant.
#pragma once

#include <string>
#include <string_view>

namespace tamis::io {

// The order people expect of numbered files: img2 before img10.

/// Runs of digits compare as numbers, everything else byte by byte; ties (img02, img2) by the plain order.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

// A file that is not there: the name that was meant.

/// "; did you mean foam.tif?" where the folder of a missing file has one of nearly its name, otherwise empty.
[[nodiscard]] std::string near_name(const std::string& path);

}  // namespace tamis::io
