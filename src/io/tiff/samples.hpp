// Strips and tiles of a page to samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/tiff/page.hpp"

namespace tamis::io {

/// Delivers strips and tiles as the file packs their rows. Byte order is theirs.
class TiffSegments {
 public:
  TiffSegments() = default;
  TiffSegments(const TiffSegments&) = delete;
  TiffSegments& operator=(const TiffSegments&) = delete;
  virtual ~TiffSegments() = default;
  /// All rows of a segment, page.segment_bytes(number) bytes. Where `room` is not null they may be put there.
  virtual const std::byte* packed(std::int64_t number, std::byte* room) = 0;
};

/// Puts the segments of a page together: dense, channels interleaved, Bool as bytes, white as bright.
void assemble_page(const TiffPage& page, TiffSegments& segments, std::byte* out);

/// The samples of an uncompressed page.
void decode_uncompressed(const TiffDirectory& directory, const TiffPage& page, std::byte* out);

}  // namespace tamis::io
