// Strips and tiles of a page to samples.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include <tamis/error.hpp>

#include "io/samples.hpp"
#include "io/tiff_page.hpp"

namespace tamis::io {
namespace {

/// Rows of one plane as the file packs them, tightly one after the other.
struct Plane {
  std::uint16_t index = 0;
  std::int64_t samples = 1;  ///< interleaved in this plane
  std::int64_t row_bytes = 0;
};

void require_decoded(TiffFile& file, std::int64_t got, std::int64_t wanted, std::uint32_t number, const char* what) {
  // A codec that only warns (JPEG, fax) has filled in what it could not read.
  if (got == wanted && !file.had_messages()) return;
  file.fail(
      fmt::format("{} {} is damaged: got {} bytes, wanted {}", what, number, std::max<std::int64_t>(got, 0), wanted));
}

void decode_strips(TiffFile& file, const TiffPage& page, const Plane& plane, std::byte* out) {
  std::uint32_t rows = page.height;
  TIFFGetFieldDefaulted(file.handle(), TIFFTAG_ROWSPERSTRIP, &rows);
  rows = std::min(rows, page.height);
  const std::uint32_t strips = (page.height - 1) / rows + 1;
  for (std::uint32_t i = 0; i < strips; ++i) {
    const std::int64_t wanted = std::min(rows, page.height - i * rows) * plane.row_bytes;
    file.clear_messages();
    const std::uint32_t number = plane.index * strips + i;
    const std::int64_t got = TIFFReadEncodedStrip(file.handle(), number, out, wanted);
    require_decoded(file, got, wanted, number, "strip");
    out += wanted;
  }
}

void decode_tiles(TiffFile& file, const TiffPage& page, const Plane& plane, std::byte* out) {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  TIFFGetField(file.handle(), TIFFTAG_TILEWIDTH, &width);
  TIFFGetField(file.handle(), TIFFTAG_TILELENGTH, &height);
  if (width == 0 || height == 0) file.fail("tiles without a size");
  const std::int64_t tile_row = TIFFTileRowSize(file.handle());
  const std::int64_t tile_bytes = TIFFTileSize(file.handle());
  if (tile_row <= 0 || tile_bytes != tile_row * height) file.fail("tiles of an impossible size");
  // A tile may be larger than the page, but a header that asks for far more than there is lies.
  if (tile_bytes > (std::int64_t{64} << 20) + 64 * plane.row_bytes * page.height) file.fail("tiles of an absurd size");
  std::vector<std::byte> tile(static_cast<std::size_t>(tile_bytes));
  for (std::uint32_t y = 0; y < page.height; y += std::min(height, page.height - y)) {
    for (std::uint32_t x = 0; x < page.width; x += std::min(width, page.width - x)) {
      const std::uint32_t number = TIFFComputeTile(file.handle(), x, y, 0, plane.index);
      file.clear_messages();
      const std::int64_t got = TIFFReadEncodedTile(file.handle(), number, tile.data(), tile_bytes);
      require_decoded(file, got, tile_bytes, number, "tile");
      const std::int64_t left = static_cast<std::int64_t>(x / width) * tile_row;
      const std::int64_t bytes = std::min(tile_row, plane.row_bytes - left);
      for (std::uint32_t row = 0; row < std::min(height, page.height - y); ++row) {
        std::memcpy(out + (y + row) * plane.row_bytes + left, tile.data() + row * tile_row,
                    static_cast<std::size_t>(bytes));
      }
    }
  }
}

/// Small samples and palettes: one packed row to delivered samples.
void expand_row(const TiffPage& page, const std::byte* packed, std::vector<std::byte>& indices, std::byte* out) {
  const std::int64_t width = page.width;
  indices.resize(static_cast<std::size_t>(width));
  if (page.bits == 8) {
    std::memcpy(indices.data(), packed, indices.size());
  } else {
    unpack_bits(packed, width, page.bits, indices.data());
  }
  const unsigned scale = page.type == Type::Bool ? 1 : 255U / ((1U << page.bits) - 1U);
  for (const std::byte index : indices) {
    if (page.palette.empty()) {
      *out++ = static_cast<std::byte>(std::to_integer<unsigned>(index) * scale);
      continue;
    }
    for (int c = 0; c < page.channels; ++c) {
      const std::size_t at = std::to_integer<std::size_t>(index) * static_cast<std::size_t>(page.channels);
      *out++ = static_cast<std::byte>(page.palette[at + static_cast<std::size_t>(c)]);
    }
  }
}

void place_plane(const TiffPage& page, const Plane& plane, const std::vector<std::byte>& rows, std::byte* out) {
  const std::int64_t width = sample_bytes(page.type);
  const std::int64_t pixels = static_cast<std::int64_t>(page.width) * page.height;
  if (page.separate) {
    for (std::int64_t i = 0; i < pixels; ++i) {
      std::memcpy(out + (i * page.channels + plane.index) * width, rows.data() + i * width,
                  static_cast<std::size_t>(width));
    }
    return;
  }
  std::vector<std::byte> indices;
  for (std::uint32_t y = 0; y < page.height; ++y) {
    expand_row(page, rows.data() + y * plane.row_bytes, indices,
               out + static_cast<std::int64_t>(y) * page.width * page.channels);
  }
}

void invert(Type type, std::byte* samples, std::int64_t bytes) {
  const std::byte mask = type == Type::Bool ? std::byte{1} : std::byte{255};
  for (std::int64_t i = 0; i < bytes; ++i) samples[i] ^= mask;
}

}  // namespace

void decode_page(TiffFile& file, const TiffPage& page, std::byte* out) {
  const bool direct = !page.separate && page.bits >= 8 && page.palette.empty();
  Plane plane;
  plane.samples = page.separate ? 1 : page.samples;
  plane.row_bytes = (static_cast<std::int64_t>(page.width) * plane.samples * page.bits + 7) / 8;
  std::vector<std::byte> rows(direct ? 0 : static_cast<std::size_t>(plane.row_bytes * page.height));
  for (; plane.index < (page.separate ? page.samples : 1); ++plane.index) {
    std::byte* const target = direct ? out : rows.data();
    page.tiled ? decode_tiles(file, page, plane, target) : decode_strips(file, page, plane, target);
    if (!direct) place_plane(page, plane, rows, out);
  }
  if (page.inverted) invert(page.type, out, checked_bytes(file.path(), page.layout()));
}

}  // namespace tamis::io
