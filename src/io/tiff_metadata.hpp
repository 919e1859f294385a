// What ImageJ, OME and the resolution tags say about a TIFF stack.
#pragma once

#include <cstdint>

#include <tamis/image.hpp>

#include "io/tiff_page.hpp"

namespace tamis::io {

struct TiffMetadata {
  Spacing spacing;
  std::int64_t images = 0;    ///< ImageJ's count of images; 0 if it says nothing
  std::int64_t channels = 1;  ///< interleaved with slices or frames in an ImageJ hyperstack
};

/// Reads the description of the current (first) page.
[[nodiscard]] TiffMetadata tiff_metadata(TiffFile& file, int rank);

}  // namespace tamis::io
