// Compressed pages, decoded by libtiff. It sees the file through our mapping, opens nothing, and is asked for nothing
// but strips and tiles whose places we have read ourselves.
#pragma once

#include <memory>
#include <stop_token>

#include "io/format.hpp"
#include "io/mapped_file.hpp"
#include "io/tiff_stack.hpp"

namespace tamis::io {

/// `stack` is what inspect_tiff() has found in this file.
[[nodiscard]] std::unique_ptr<Source> open_compressed_tiff(MappedFile map, TiffStack stack, std::stop_token cancel);

}  // namespace tamis::io
