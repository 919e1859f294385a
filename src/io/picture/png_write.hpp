// PNG out.
#pragma once

#include <memory>

#include <tamis/io.hpp>

#include "io/output/temporary_file.hpp"

namespace tamis::io {

/// One slice of bool (as 0 and 255), u8 or u16; grey, grey with alpha, RGB or RGBA.
[[nodiscard]] std::unique_ptr<SliceSink> create_png(const Target& target, const Layout& layout);

}  // namespace tamis::io
