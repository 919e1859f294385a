// Strips and tiles of a page to samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "io/tiff/page.hpp"

namespace tamis::io {

/// All rows of a strip or tile as the file packs them, page.segment_bytes(number) bytes in its byte order. Where `room` is not
/// null they may be put there.
using PackedSegment = std::function<const std::byte*(std::int64_t number, std::byte* room)>;

/// Puts the segments of a page together: dense, channels interleaved, Bool as bytes, white as bright.
void assemble_page(const TiffPage& page, const PackedSegment& segment, std::byte* out);

/// The samples of an uncompressed page.
void decode_uncompressed(const TiffDirectory& directory, const TiffPage& page, std::byte* out);

}  // namespace tamis::io
