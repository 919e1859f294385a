// Shape and type of headerless files: from the options, else from the name.
#pragma once

#include <string>

#include <tamis/io.hpp>

namespace tamis::io {

/// Reads foam_600x600x250_u8.raw; throws InputError where neither options nor name say both.
[[nodiscard]] Layout raw_layout(const std::string& path, const ReadOptions& options);

}  // namespace tamis::io
