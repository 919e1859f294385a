// A file that is not there: the name that was meant.
#pragma once

#include <string>

namespace tamis::io {

/// "; did you mean foam.tif?" where the folder of a missing file has one of nearly its name, otherwise empty.
[[nodiscard]] std::string near_name(const std::string& path);

}  // namespace tamis::io
