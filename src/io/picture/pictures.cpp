// The plainest PNG files, decoded here: 8 or 16 bits, grey or RGB, all rows in their order, nothing that changes
// samples. A process that decodes costs more than a picture of 512 x 512. Whatever else a file is, damaged too, libpng
// reads.
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/io.hpp>

#include "core/system/mapped_file.hpp"
#include "io/checked.hpp"
#include "io/confined/decoder.hpp"
#include "io/format.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/upright.hpp"

namespace tamis::io {
namespace {

using Bytes = std::span<const std::byte>;

/// Where the parts of such a file lie.
struct PlainPng {
  Layout layout;
  std::vector<std::span<const std::byte>> stream;  ///< of zlib, in pieces
};

/// What says something of a picture and leaves its samples alone; those in `anywhere` may stand behind the samples.
constexpr auto before_samples =
    std::to_array<std::string_view>({"gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "pHYs"});
constexpr auto anywhere = std::to_array<std::string_view>({"tEXt", "zTXt", "iTXt", "tIME", "eXIf"});
constexpr std::size_t longest_chunk = std::size_t{1} << 20;   // of these; libpng refuses some that are longer
constexpr std::int64_t most_bytes = std::int64_t{128} << 20;  // of rows; beyond, a process costs nothing

std::uint32_t big_endian(const std::byte* at) { return number_at<std::uint32_t>(at, native_little); }

struct Chunk {
  std::string_view type;
  Bytes data;
};

/// The chunk that the file goes on with; nothing where it is not whole.
std::optional<Chunk> next_chunk(Bytes& rest) {
  constexpr std::size_t around = 12;
  if (rest.size() < around) return std::nullopt;
  const std::size_t length = big_endian(rest.data());
  if (length > rest.size() - around) return std::nullopt;
  const Bytes covered = rest.subspan(4, length + 4);
  if (libdeflate_crc32(0, covered.data(), covered.size()) != big_endian(covered.data() + covered.size()))
    return std::nullopt;
  rest = rest.subspan(length + around);
  return Chunk{{reinterpret_cast<const char*>(covered.data()), 4}, covered.subspan(4)};
}

std::optional<Layout> layout_of(const Chunk& header) {
  constexpr std::size_t header_bytes = 13;
  if (header.type != "IHDR" || header.data.size() != header_bytes) return std::nullopt;
  const auto byte = [&](std::size_t i) { return std::to_integer<int>(header.data[i]); };
  const int bits = byte(8);
  const int colour = byte(9);
  const bool plain =
      (bits == 8 || bits == 16) && (colour == 0 || colour == 2) && byte(10) == 0 && byte(11) == 0 && byte(12) == 0;
  const std::int64_t width = big_endian(header.data.data());
  const std::int64_t height = big_endian(header.data.data() + 4);
  if (!plain || width < 1 || height < 1 || width > INT32_MAX || height > INT32_MAX) return std::nullopt;
  return Layout{bits == 8 ? Type::U8 : Type::U16, {1, height, width, 2}, colour == 0 ? 1 : 3, {}};
}

std::int64_t row_bytes(const Layout& layout) { return layout.shape.x * layout.channels * sample_bytes(layout.type); }

/// A filter's number before each row.
Checked filtered_bytes(const Layout& layout) {
  return (Checked(layout.shape.x) * (layout.channels * sample_bytes(layout.type)) + 1) * layout.shape.y;
}

/// zlib heeds the window that a stream names, libdeflate does not: only one that is large enough for any stream.
bool has_window(const PlainPng& png, std::int64_t bytes) {
  const unsigned first = std::to_integer<unsigned>(png.stream.front().front());
  const unsigned window = first >> 4U;
  return (first & 15U) == 8 && window <= 7 && (window == 7 || (std::int64_t{256} << window) >= bytes);
}

/// Of a, b and c the one that is closest to a + b - c.
std::uint8_t paeth(int a, int b, int c) {
  const int to_a = std::abs(b - c);
  const int to_b = std::abs(a - c);
  const int to_c = std::abs(a + b - 2 * c);
  return static_cast<std::uint8_t>(to_a <= to_b && to_a <= to_c ? a : to_b <= to_c ? b : c);
}

/// `row` becomes what it was before it was filtered; `above` is the row before, of zeros for the first.
template <std::size_t step>
bool unfilter(int filter, std::uint8_t* __restrict row, const std::uint8_t* __restrict above, std::size_t bytes) {
  switch (filter) {
    case 0:
      return true;
    case 1:
      for (std::size_t i = step; i < bytes; ++i) row[i] = static_cast<std::uint8_t>(row[i] + row[i - step]);
      return true;
    case 2:
      for (std::size_t i = 0; i < bytes; ++i) row[i] = static_cast<std::uint8_t>(row[i] + above[i]);
      return true;
    case 3:
      for (std::size_t i = 0; i < step; ++i) row[i] = static_cast<std::uint8_t>(row[i] + above[i] / 2);
      for (std::size_t i = step; i < bytes; ++i) {
        row[i] = static_cast<std::uint8_t>(row[i] + (row[i - step] + above[i]) / 2);
      }
      return true;
    case 4:
      for (std::size_t i = 0; i < step; ++i) row[i] = static_cast<std::uint8_t>(row[i] + above[i]);
      for (std::size_t i = step; i < bytes; ++i) {
        row[i] = static_cast<std::uint8_t>(row[i] + paeth(row[i - step], above[i], above[i - step]));
      }
      return true;
    default:
      return false;
  }
}

using Unfilter = bool (*)(int filter, std::uint8_t* row, const std::uint8_t* above, std::size_t bytes);

Unfilter unfilter_of(const Layout& layout) {
  if (layout.type == Type::U8) return layout.channels == 1 ? unfilter<1> : unfilter<3>;
  return layout.channels == 1 ? unfilter<2> : unfilter<6>;
}

struct Free {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

/// Exactly `bytes` out of the whole stream.
bool inflate(Bytes stream, std::vector<std::uint8_t>& out) {
  const std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();
  std::size_t used = 0;
  const libdeflate_result result = libdeflate_zlib_decompress_ex(decompressor.get(), stream.data(), stream.size(),
                                                                 out.data(), out.size(), &used, nullptr);
  return result == LIBDEFLATE_SUCCESS && used == stream.size();
}

/// Nothing where the file is any other, or not whole. Every part has its checksum.
std::optional<PlainPng> plain_png(const MappedFile& file) {
  constexpr std::size_t signature = 8;
  Bytes rest(file.data(), static_cast<std::size_t>(file.size()));
  if (rest.size() < signature) return std::nullopt;
  rest = rest.subspan(signature);
  std::optional<Chunk> chunk = next_chunk(rest);
  const std::optional<Layout> layout = chunk ? layout_of(*chunk) : std::nullopt;
  if (!layout) return std::nullopt;
  PlainPng png{*layout, {}};
  std::size_t stream_bytes = 0;
  bool samples_end = false;
  for (;;) {
    chunk = next_chunk(rest);
    if (!chunk) return std::nullopt;
    if (chunk->type == "IEND") break;
    if (chunk->type == "IDAT" && !samples_end && !chunk->data.empty()) {
      png.stream.push_back(chunk->data);
      stream_bytes += chunk->data.size();
      continue;
    }
    samples_end = !png.stream.empty();
    const bool known = std::ranges::find(anywhere, chunk->type) != anywhere.end() ||
                       (!samples_end && std::ranges::find(before_samples, chunk->type) != before_samples.end());
    if (!known || chunk->data.size() > longest_chunk) return std::nullopt;
  }
  // Neither shorter than deflate can make it, nor longer than stored bytes are.
  constexpr std::int64_t deflate_ratio = 1032;
  const Checked bytes = filtered_bytes(png.layout);
  const auto packed = static_cast<std::int64_t>(stream_bytes);
  const bool fits = !png.stream.empty() && bytes.at_most(std::min(most_bytes, packed * deflate_ratio)) &&
                    packed <= bytes.value_or(0) + bytes.value_or(0) / 64 + 64;
  return fits && has_window(png, bytes.value_or(0)) ? std::optional(std::move(png)) : std::nullopt;
}

/// The samples, as bytes or native words. False where the stream is not exactly the rows of the picture.
bool decode(const PlainPng& png, std::byte* out) {
  std::vector<std::byte> joined;
  if (png.stream.size() > 1) {
    for (const Bytes piece : png.stream) joined.insert(joined.end(), piece.begin(), piece.end());
  }
  std::vector<std::uint8_t> rows(static_cast<std::size_t>(filtered_bytes(png.layout).value_or(0)));
  if (!inflate(joined.empty() ? png.stream.front() : Bytes(joined), rows)) return false;
  const auto bytes = static_cast<std::size_t>(row_bytes(png.layout));
  const Unfilter undo = unfilter_of(png.layout);
  const std::vector<std::uint8_t> zeros(bytes);
  const std::uint8_t* above = zeros.data();
  std::uint8_t* row = rows.data();
  for (std::int64_t y = 0; y < png.layout.shape.y; ++y, row += bytes + 1, out += bytes) {
    if (!undo(*row, row + 1, above, bytes)) return false;
    above = row + 1;
    std::memcpy(out, above, bytes);
    if (png.layout.type == Type::U16 && native_little) swap_bytes(out, static_cast<std::int64_t>(bytes / 2), 2);
  }
  return true;
}

std::unique_ptr<Source> open_plain(MappedFile map, const Layout& layout, const ReadOptions& options,
                                   const SharedDecoder& process) {
  const auto file = std::make_shared<const MappedFile>(std::move(map));
  return read_by(file->path(), layout, fmt::format("PNG, {}-bit", 8 * sample_bytes(layout.type)),
                 [=](std::int64_t, std::int64_t, std::byte* out) {
                   // Found again, for the mapped file may have changed.
                   const std::optional<PlainPng> png = plain_png(*file);
                   const auto same = [&](const Layout& got) {
                     return got.shape == layout.shape && got.type == layout.type && got.channels == layout.channels;
                   };
                   if (png && same(png->layout) && decode(*png, out)) return;
                   const std::unique_ptr<Source> picture = open_remote(Decoder::Png, file->path(), options, process);
                   if (!same(picture->layout())) refuse("{}: the file has changed since it was opened", file->path());
                   picture->read(0, 1, out);
                 });
}

std::unique_ptr<Source> open_png_file(const std::string& path, const ReadOptions& options,
                                      const SharedDecoder& process) {
  MappedFile file(path);
  const int orientation = png_orientation(file.text());
  const std::optional<PlainPng> png = plain_png(file);
  std::unique_ptr<Source> picture;
  if (png) {
    picture = open_plain(std::move(file), png->layout, options, process);
  } else {
    picture = open_remote(Decoder::Png, path, options, process);
    if (picture->layout().channels % 2 == 0) picture = without_alpha(std::move(picture), options);
  }
  picture->notes.orientation = orientation;
  return picture;
}

bool is_png(std::string_view head) { return head.starts_with("\x89PNG\r\n\x1a\n"); }

bool is_jpeg(std::string_view head) { return head.starts_with("\xff\xd8\xff"); }

std::unique_ptr<Source> open_jpeg_file(const std::string& path, const ReadOptions& options,
                                       const SharedDecoder& process) {
  std::unique_ptr<Source> picture = open_remote(Decoder::Jpeg, path, options, process);
  picture->notes.orientation = jpeg_orientation(MappedFile(path).text());
  return picture;
}

}  // namespace

extern const Format png_format{"PNG", {".png"}, is_png, open_png_file, create_png, true};

extern const Format jpeg_format{"JPEG", {".jpg", ".jpeg"}, is_jpeg, open_jpeg_file, nullptr, true};

}  // namespace tamis::io
