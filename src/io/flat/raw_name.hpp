// Shape and type of headerless files: from the options, else from the name.
#pragma once

#include <string>

#include <tamis/io.hpp>

namespace tamis::io {

/// Reads foam_600x600x250_u8.raw; throws InputError where neither options nor name say both.
[[nodiscard]] Layout raw_layout(const std::string& path, const ReadOptions& options);

/// ", 512 bytes skipped", for descriptions; empty without.
[[nodiscard]] std::string skip_words(const ReadOptions& options);

/// Throws InputError where the name of a file to be written would tell its readers another shape or type.
void require_true_name(const std::string& path, const Layout& layout);

}  // namespace tamis::io
