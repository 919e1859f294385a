// BMP: uncompressed pictures of 1, 8, 24 and 32 bits, as the software of micro-CT scanners writes slices. Only read.
#include <algorithm>
#include <array>
#include <stop_token>
#include <utility>
#include <vector>

#include "io/checked.hpp"
#include "io/format.hpp"
#include "core/system/mapped_file.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t file_header = 14;

struct Header {
  Layout layout;
  int bits = 8;
  bool bottom_up = true;
  std::int64_t samples_at = 0;
  std::int64_t row_bytes = 0;                       ///< with what fills it up to 4 bytes
  std::vector<std::array<std::uint8_t, 3>> palette; ///< red, green, blue

  [[nodiscard]] bool grey_palette() const {
    return std::ranges::all_of(palette, [](const auto& c) { return c[0] == c[1] && c[1] == c[2]; });
  }
  /// Black and white, in this order or the other.
  [[nodiscard]] bool bilevel() const {
    return bits == 1 && grey_palette() && std::ranges::all_of(palette, [](const auto& c) { return c[0] == 0 || c[0] == 255; });
  }
};

template <class T>
std::int64_t number(const MappedFile& file, std::int64_t at) {
  return number_at<T>(file.data() + at, !native_little);
}

void require_uncompressed(const MappedFile& file, std::int64_t info_bytes, int bits) {
  constexpr std::int64_t bit_fields = 3;
  const std::int64_t compression = number<std::uint32_t>(file, file_header + 16);
  if (compression == 0) return;
  // 32 bits with masks: those of the usual order say nothing new.
  if (compression == bit_fields && bits == 32 && file.size() >= file_header + 52 && info_bytes >= 40) {
    const std::array<std::int64_t, 3> masks{number<std::uint32_t>(file, 54), number<std::uint32_t>(file, 58),
                                            number<std::uint32_t>(file, 62)};
    if (masks == std::array<std::int64_t, 3>{0xff0000, 0xff00, 0xff}) return;
  }
  refuse("{}: BMP that is compressed ({}); wanted one that is not", file.path(),
         compression == 1 || compression == 2 ? "run lengths"
         : compression == bit_fields          ? "bit fields"
         : compression == 4                   ? "JPEG"
         : compression == 5                   ? "PNG"
                                              : "of an unknown kind");
}

/// Entries are blue, green, red and, but in the first version, a byte more.
void read_palette(const MappedFile& file, std::int64_t info_bytes, Header& header) {
  const std::int64_t entry = info_bytes == 12 ? 3 : 4;
  const std::int64_t all = std::int64_t{1} << header.bits;
  const std::int64_t said = info_bytes == 12 ? 0 : number<std::uint32_t>(file, file_header + 32);
  const std::int64_t count = said == 0 ? all : said;
  const std::int64_t at = file_header + info_bytes;
  if (count > all || !within(at, count * entry, std::min(file.size(), header.samples_at))) {
    refuse("{}: corrupt BMP: a palette of {} colours; wanted up to {} before the samples", file.path(), count, all);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const auto* const c = reinterpret_cast<const std::uint8_t*>(file.data() + at + i * entry);
    header.palette.push_back({c[2], c[1], c[0]});
  }
}

Header read_header(const MappedFile& file) {
  const std::string& path = file.path();
  const std::int64_t info_bytes = file.size() >= file_header + 12 ? number<std::uint32_t>(file, file_header) : 0;
  const bool first_version = info_bytes == 12;
  if ((!first_version && (info_bytes < 40 || info_bytes > 124)) || !within(file_header, info_bytes, file.size())) {
    refuse("{}: corrupt or truncated BMP: a header of {} bytes in a file of {}; wanted 12 or 40 to 124", path,
           info_bytes, file.size());
  }
  Header header;
  const std::int64_t width = first_version ? number<std::uint16_t>(file, 18) : number<std::int32_t>(file, 18);
  const std::int64_t height = first_version ? number<std::uint16_t>(file, 20) : number<std::int32_t>(file, 22);
  header.bits = static_cast<int>(number<std::uint16_t>(file, first_version ? 24 : 28));
  header.bottom_up = height > 0;
  header.layout.shape = {1, height > 0 ? height : -height, width, 2};
  header.samples_at = number<std::uint32_t>(file, 10);
  if (width < 1 || height == 0) refuse("{}: corrupt BMP: {} x {} pixels; wanted 1 or more", path, width, height);
  if (header.bits != 1 && header.bits != 8 && header.bits != 24 && header.bits != 32) {
    refuse("{}: BMP of {} bits a pixel; wanted 1, 8, 24 or 32", path, header.bits);
  }
  if (!first_version) require_uncompressed(file, info_bytes, header.bits);
  if (header.bits <= 8) read_palette(file, info_bytes, header);
  header.layout.channels = header.bits > 8 || !header.grey_palette() ? 3 : 1;
  header.layout.type = header.bilevel() ? Type::Bool : Type::U8;
  header.row_bytes = (width * header.bits + 31) / 32 * 4;
  const Checked end = Checked(header.samples_at) + Checked(header.row_bytes) * header.layout.shape.y;
  if (header.samples_at < file_header + info_bytes || !end.at_most(file.size())) {
    refuse("{}: truncated BMP: got {} bytes, wanted {}", path, file.size(), end.value(path, "the end of its samples"));
  }
  return header;
}

/// Blue, green, red and of 32 bits a byte that is no colour.
void take_colours(const Header& header, const std::byte* from, std::byte* out) {
  const std::int64_t step = header.bits / 8;
  for (std::int64_t x = 0; x < header.layout.shape.x; ++x, from += step, out += 3) {
    out[0] = from[2];
    out[1] = from[1];
    out[2] = from[0];
  }
}

void look_up(const std::string& path, const Header& header, const std::byte* from, std::byte* out) {
  std::vector<std::byte> indices(from, from + (header.bits == 1 ? 0 : header.layout.shape.x));
  if (header.bits == 1) {
    indices.resize(static_cast<std::size_t>(header.layout.shape.x));
    unpack_bits(from, header.layout.shape.x, 1, indices.data());
  }
  for (const std::byte index : indices) {
    const auto entry = std::to_integer<std::size_t>(index);
    if (entry >= header.palette.size()) {
      refuse("{}: corrupt BMP: a pixel of colour {}, wanted one of {}", path, entry, header.palette.size());
    }
    const auto& colour = header.palette[entry];
    for (int c = 0; c < header.layout.channels; ++c) {
      const int value = colour.at(static_cast<std::size_t>(c));
      *out++ = static_cast<std::byte>(header.layout.type == Type::Bool ? value / 255 : value);
    }
  }
}

void decode(const MappedFile& file, const Header& header, const std::stop_token& cancel, std::byte* out) {
  const Shape& shape = header.layout.shape;
  for (std::int64_t y = 0; y < shape.y; ++y, out += shape.x * header.layout.channels) {
    if (cancel.stop_requested()) throw Cancelled();
    const std::int64_t row = header.bottom_up ? shape.y - 1 - y : y;
    const std::byte* const from = file.data() + header.samples_at + row * header.row_bytes;
    header.bits > 8 ? take_colours(header, from, out) : look_up(file.path(), header, from, out);
  }
}

std::unique_ptr<Source> open_bmp(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  const auto file = std::make_shared<const MappedFile>(path);
  const Header header = read_header(*file);
  static_cast<void>(checked_bytes(path, header.layout));
  // Of fewer bits a pixel becomes at most 24 times what it takes, so the file bounds what is asked for.
  std::string description = fmt::format("BMP, {} bits{}{}", header.bits, header.palette.empty() ? "" : ", palette",
                                        header.bottom_up ? ", bottom up" : "");
  return read_by(path, header.layout, std::move(description),
                 [file, header, cancel = options.cancel](std::int64_t, std::int64_t, std::byte* out) {
                   decode(*file, header, cancel, out);
                 });
}

/// Two letters are little: the length of the second header is below 256 too.
bool is_bmp(std::string_view head) {
  using namespace std::string_view_literals;
  return head.starts_with("BM") && head.size() > 18 && head.substr(15, 3) == "\0\0\0"sv;
}

}  // namespace

extern const Format bmp_format{"BMP", {".bmp"}, is_bmp, open_bmp, nullptr, true};

}  // namespace tamis::io
