#include "io/tiff/tiff.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "io/samples.hpp"

namespace tamis::io {
namespace {

std::byte reversed_bits(std::byte byte) {
  auto b = std::to_integer<unsigned>(byte);
  b = (b & 0xf0U) >> 4U | (b & 0x0fU) << 4U;
  b = (b & 0xccU) >> 2U | (b & 0x33U) << 2U;
  b = (b & 0xaaU) >> 1U | (b & 0x55U) << 1U;
  return static_cast<std::byte>(b);
}

/// Small samples and palettes: part of a packed row to delivered samples.
void expand_row(const TiffPage& page, const std::byte* packed, std::int64_t columns, std::byte* out) {
  if (page.bits > 8) return unpack_words(packed, columns, page.bits, out);
  // With a palette of three colours the indices stand at the end of the place, so that none is overwritten unread.
  std::byte* const indices = out + columns * (page.channels - 1);
  if (page.bits == 8) {
    std::memcpy(indices, packed, static_cast<std::size_t>(columns));
  } else {
    unpack_bits(packed, columns, page.bits, indices);
  }
  const unsigned scale = page.type == Type::Bool ? 1 : 255U / ((1U << static_cast<unsigned>(page.bits)) - 1U);
  for (std::int64_t x = 0; x < columns; ++x) {
    const auto index = std::to_integer<unsigned>(indices[x]);
    if (page.palette.empty()) {
      out[x] = static_cast<std::byte>(index * scale);
      continue;
    }
    const std::uint8_t* const colour =
        page.palette.data() + std::size_t{index} * static_cast<std::size_t>(page.channels);
    for (int c = 0; c < page.channels; ++c) out[x * page.channels + c] = static_cast<std::byte>(colour[c]);
  }
}

/// Where the samples of a segment go.
struct Destination {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  int plane = 0;
};

Destination target_of(const TiffPage& page, std::int64_t number) {
  const std::int64_t in_plane = number % (page.across * page.down);
  Destination target;
  target.plane = static_cast<int>(number / (page.across * page.down));
  target.x = in_plane % page.across * page.segment_width;
  target.y = in_plane / page.across * page.segment_height;
  target.columns = std::min(page.segment_width, page.width - target.x);
  target.rows = std::min(page.segment_height, page.height - target.y);
  return target;
}

void invert(const TiffPage& page, std::byte* samples, std::int64_t bytes) {
  std::uint64_t mask = page.type == Type::Bool ? 0x0101010101010101U : ~std::uint64_t{0};
  if (page.bits > 8 && page.bit_packed()) mask = ((1U << static_cast<unsigned>(page.bits)) - 1U) * 0x0001000100010001U;
  std::array<std::byte, sizeof mask> pattern{};
  std::memcpy(pattern.data(), &mask, sizeof mask);
  for (std::int64_t i = 0; i < bytes; ++i) samples[i] ^= pattern[static_cast<std::size_t>(i) % sizeof mask];
}

}  // namespace

void assemble_page(const TiffPage& page, const PackedSegment& segment, std::byte* out) {
  const std::int64_t sample = sample_bytes(page.type);
  const std::int64_t pixel = page.channels * sample;
  const bool plain = !page.separate && !page.bit_packed() && page.palette.empty();
  for (std::int64_t i = 0; i < page.segments(); ++i) {
    const Destination target = target_of(page, i);
    std::byte* const place = out + (target.y * page.width + target.x) * pixel + target.plane * sample;
    const bool dense = plain && !page.tiled;
    const std::byte* packed = segment(i, dense ? place : nullptr);
    if (packed == place) continue;
    if (dense) {
      std::memcpy(place, packed, static_cast<std::size_t>(page.segment_bytes(i)));
      continue;
    }
    for (std::int64_t y = 0; y < target.rows; ++y, packed += page.row_bytes) {
      std::byte* const row = place + y * page.width * pixel;
      if (plain) {
        std::memcpy(row, packed, static_cast<std::size_t>(target.columns * pixel));
      } else if (page.separate) {
        copy_row(sample, packed, sample, row, pixel, target.columns);
      } else {
        expand_row(page, packed, target.columns, row);
      }
    }
  }
  if (page.inverted) invert(page, out, page.width * page.height * pixel);
}

void decode_uncompressed(const TiffDirectory& directory, const TiffPage& page, std::byte* out) {
  std::vector<std::byte> turned;
  const auto segment = [&](std::int64_t number, std::byte*) {
    // The mapped file may have changed since it was opened, so that the place is checked again.
    const std::byte* const bytes = directory.file().data() + segment_place(directory, page, number).offset;
    if (!page.reversed) return bytes;
    turned.resize(static_cast<std::size_t>(page.segment_bytes(number)));
    std::transform(bytes, bytes + turned.size(), turned.begin(), reversed_bits);
    return static_cast<const std::byte*>(turned.data());
  };
  assemble_page(page, segment, out);
  const std::int64_t width = sample_bytes(page.type);
  if (directory.file().swapped() && width > 1 && !page.bit_packed()) {
    swap_bytes(out, page.width * page.height * page.channels, width);
  }
}

}  // namespace tamis::io
