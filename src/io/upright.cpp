#include "io/upright.hpp"

#include <array>
#include <utility>

#include "io/checked.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

constexpr std::uint16_t tag_orientation = 274;

/// 0 behind the end of the text.
std::uint64_t number(std::string_view text, std::uint64_t at, std::size_t width, bool little = false) {
  return static_cast<std::uint64_t>(number_in(text, at, width, little).value_or(0));
}

/// EXIF is a small TIFF file: the tag stands in its first directory.
int exif_orientation(std::string_view exif) {
  if (!exif.starts_with("II") && !exif.starts_with("MM")) return 1;
  const bool little = exif.front() == 'I';
  const std::uint64_t directory = number(exif, 4, 4, little);
  const std::uint64_t entries = number(exif, directory, 2, little);
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::uint64_t entry = directory + 2 + 12 * i;
    if (number(exif, entry, 2, little) == tag_orientation) return orientation_of(number(exif, entry + 8, 2, little));
  }
  return 1;
}

}  // namespace

int jpeg_orientation(std::string_view file) {
  constexpr std::string_view exif("Exif\0\0", 6);
  // Segments up to the samples: a marker, then a length that counts itself.
  for (std::uint64_t at = 2; number(file, at, 1) == 0xff;) {
    const std::uint64_t marker = number(file, at + 1, 1);
    const std::uint64_t length = number(file, at + 2, 2);
    if (marker == 0xda || length < 2) break;
    const std::string_view content = file.substr(std::min<std::size_t>(at + 4, file.size()), length - 2);
    if (marker == 0xe1 && content.starts_with(exif)) return exif_orientation(content.substr(exif.size()));
    at += 2 + length;
  }
  return 1;
}

int png_orientation(std::string_view file) {
  constexpr std::uint64_t exif = 0x65584966;  // "eXIf"
  for (std::uint64_t at = 8; at + 12 <= file.size();) {
    const std::uint64_t length = number(file, at, 4);
    if (number(file, at + 4, 4) == exif) return exif_orientation(file.substr(at + 8, length));
    at += 12 + length;
  }
  return 1;
}

std::string_view turn_of(int orientation) {
  constexpr std::array<std::string_view, 9> turns{"",
                                                  "as it stands",
                                                  "with left and right exchanged",
                                                  "turned by 180 degrees",
                                                  "with top and bottom exchanged",
                                                  "with rows and columns exchanged",
                                                  "turned by 90 degrees clockwise",
                                                  "turned by 180 degrees, with rows and columns exchanged",
                                                  "turned by 90 degrees anticlockwise"};
  return turns[static_cast<std::size_t>(orientation)];
}

std::unique_ptr<Source> upright(std::unique_ptr<Source> source) {
  const int o = source->notes.orientation;
  if (o == 1) return source;
  Layout layout = source->layout();
  const Shape from = layout.shape;
  const std::int64_t pixel = layout.channels * sample_bytes(layout.type);
  // Which ends of the stored axes the first pixel lies at.
  const bool last_column = o == 2 || o == 3 || o == 7 || o == 8;
  const bool last_row = o == 3 || o == 4 || o == 6 || o == 7;
  const std::int64_t first = (last_row ? (from.y - 1) * from.x : 0) + (last_column ? from.x - 1 : 0);
  std::int64_t step = last_column ? -1 : 1;
  std::int64_t row_step = last_row ? -from.x : from.x;
  if (o > 4) {
    std::swap(step, row_step);
    std::swap(layout.shape.x, layout.shape.y);
    std::swap(layout.spacing.x, layout.spacing.y);
  }
  source = remade(std::move(source), layout, [=, turned = layout.shape](const std::byte* slice, std::byte* out) {
    for (std::int64_t y = 0; y < turned.y; ++y, out += turned.x * pixel) {
      copy_row(pixel, slice + (first + y * row_step) * pixel, step * pixel, out, pixel, turned.x);
    }
  });
  source->notes.orientation = 1;
  return source;
}

}  // namespace tamis::io
