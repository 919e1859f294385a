// TIFF stacks as ImageJ writes them: the samples of all slices first, contiguous, then the directories.
#pragma once

#include <memory>

#include <tamis/io.hpp>

#include "io/output/temporary_file.hpp"

namespace tamis::io {

/// BigTIFF where offsets need it. Grey, RGB and RGBA.
[[nodiscard]] std::unique_ptr<SliceSink> create_tiff(const Target& target, const Layout& layout);
/// With WriteOptions::compress: in strips, which all threads compress.
[[nodiscard]] std::unique_ptr<SliceSink> create_compressed_tiff(const Target& target, const Layout& layout);

}  // namespace tamis::io
