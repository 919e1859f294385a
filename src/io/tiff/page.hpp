// One page of a TIFF file: what its tags say, and where its strips or tiles lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tamis/image.hpp>

#include "io/tiff/directory.hpp"

namespace tamis::io {

/// The most that decoding makes of a byte of the file. Fax codes and zstd reach far beyond deflate's 1032; a header
/// that asks for more than this lies. Uncompressed: 1-bit palettes give 24, and strips may share their samples.
[[nodiscard]] std::int64_t tiff_ratio(bool compressed);

/// The tags that say how to read a page. A strip is a segment as wide as the page.
struct TiffPage {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int bits = 1;
  int samples = 1;  ///< per pixel, in the file
  int compression = 1;
  int photometric = 1;
  int predictor = 1;
  bool separate = false;  ///< planes one after the other
  bool tiled = false;
  bool reversed = false;              ///< the first pixel lies in the lowest bit
  bool halves = false;                ///< u16 samples that are half floats
  bool inverted = false;              ///< small values are bright
  bool alpha = false;                 ///< the last sample of a pixel says how much it covers
  std::vector<std::uint8_t> palette;  ///< `channels` bytes for each index; empty without palette
  Type type = Type::U8;               ///< as delivered
  int channels = 1;                   ///< as delivered
  std::int64_t segment_width = 0;
  std::int64_t segment_height = 0;
  std::int64_t across = 1;     ///< segments side by side
  std::int64_t down = 1;       ///< segments one below the other, in one plane
  std::int64_t row_bytes = 0;  ///< of a row of a segment, as packed
  TiffValues offsets;
  TiffValues counts;  ///< none: as long as they have to be

  [[nodiscard]] bool compressed() const;
  /// Samples do not end on bytes: less than 8 bits, or 9 to 15.
  [[nodiscard]] bool bit_packed() const { return bits % 8 != 0; }
  [[nodiscard]] int planes() const { return separate ? samples : 1; }
  [[nodiscard]] std::int64_t segments() const { return across * down * planes(); }
  /// Rows of a segment, as packed: a tile is always whole.
  [[nodiscard]] std::int64_t segment_rows(std::int64_t number) const;
  [[nodiscard]] std::int64_t segment_bytes(std::int64_t number) const { return segment_rows(number) * row_bytes; }
  /// Shape of one page, type and channels.
  [[nodiscard]] Layout layout() const { return {type, {1, height, width, 2}, channels, {}}; }
  /// "strip" or "tile"
  [[nodiscard]] const char* segment_name() const { return tiled ? "tile" : "strip"; }
  /// "LZW, tiles"
  [[nodiscard]] std::string description() const;
};

/// Reads the tags and checks that all strips or tiles lie inside the file. Throws InputError for what is truncated,
/// inconsistent or not supported; allocates nothing of the image's size.
[[nodiscard]] TiffPage inspect_page(const TiffDirectory& directory);

/// Where a segment lies; throws unless it lies inside the file and is long enough.
struct TiffPlace {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};
[[nodiscard]] TiffPlace segment_place(const TiffDirectory& directory, const TiffPage& page, std::int64_t number);

/// Offset of the samples if the page is nothing but them: uncompressed, contiguous, in our form except byte order.
[[nodiscard]] std::optional<std::int64_t> flat_offset(const TiffDirectory& directory, const TiffPage& page);

}  // namespace tamis::io
