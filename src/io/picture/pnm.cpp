// PBM, PGM and PPM, text (P1 to P3) and binary (P4 to P6). Samples keep the values in the file, whatever maxval says.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <stop_token>
#include <utility>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/format.hpp"
#include "io/header_text.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

class Tokens {
 public:
  /// Numbers between `at` and `end`.
  Tokens(const MappedFile& file, std::int64_t at, std::int64_t end) : file_(file), at_(at), end_(end) {}

  /// The next number; spaces and comments come before it. A number of more digits than any image has voxels is an
  /// error: read as two it would shift all that follow.
  std::int64_t number() {
    skip();
    if (at_ >= end_ && end_ < file_.size()) header_too_long(file_.path(), "PNM");
    if (at_ >= end_) refuse("{}: truncated PNM: it ends at byte {}, wanted a further number", file_.path(), at_);
    std::int64_t value = 0;
    const std::int64_t start = at_;
    for (; at_ < end_ && std::isdigit(byte()); ++at_) {
      value = 10 * value + byte() - '0';
      if (value >= (std::int64_t{1} << 40)) {
        refuse("{}: corrupt PNM: wanted a number below 2^40 at byte {}", file_.path(), start);
      }
    }
    if (at_ == start) refuse("{}: corrupt PNM: wanted a number at byte {}", file_.path(), at_);
    return value;
  }
  /// A single digit 0 or 1; PBM text need not have spaces.
  std::byte bit() {
    skip();
    if (at_ >= end_ || (byte() != '0' && byte() != '1')) {
      refuse("{}: truncated or corrupt PBM: wanted 0 or 1 at byte {}", file_.path(), at_);
    }
    return static_cast<std::byte>(file_.text()[static_cast<std::size_t>(at_++)] == '0');  // 1 is black
  }
  void skip() {
    bool comment = false;
    for (; at_ < end_ && (comment || std::isspace(byte()) || byte() == '#'); ++at_) {
      comment = byte() == '#' || (comment && byte() != '\n');
    }
  }
  [[nodiscard]] std::int64_t at() const { return at_; }

 private:
  [[nodiscard]] int byte() const { return static_cast<unsigned char>(file_.text()[static_cast<std::size_t>(at_)]); }

  const MappedFile& file_;
  std::int64_t at_;
  std::int64_t end_;
};

struct Header {
  char kind = '5';
  Layout layout;
  std::int64_t maxval = 1;
  std::int64_t samples_at = 0;

  [[nodiscard]] bool text() const { return kind <= '3'; }
  [[nodiscard]] bool bits() const { return kind == '1' || kind == '4'; }
};

Header read_header(const MappedFile& file) {
  Header header;
  header.kind = file.size() > 1 ? file.text()[1] : '\0';
  if (file.text().front() != 'P' || header.kind < '1' || header.kind > '6') {
    refuse("{}: not a PNM file; wanted P1 to P6 in front", file.path());
  }
  Tokens tokens(file, 2, std::min(file.size(), longest_header));
  header.layout.shape = {1, 0, tokens.number(), 2};
  header.layout.shape.y = tokens.number();
  if (!header.bits()) header.maxval = tokens.number();
  if (header.maxval < 1 || header.maxval > 65535) {
    refuse("{}: PNM with a maximum of {}; wanted 1 .. 65535", file.path(), header.maxval);
  }
  header.samples_at = tokens.at() + (header.text() ? 0 : 1);  // exactly one space before binary samples
  header.layout.type = header.bits() ? Type::Bool : header.maxval < 256 ? Type::U8 : Type::U16;
  header.layout.channels = header.kind == '3' || header.kind == '6' ? 3 : 1;
  return header;
}

/// Throws Cancelled; asks once in a while, for samples are many.
void require_wanted(const std::stop_token& cancel, std::int64_t at, std::int64_t step) {
  constexpr std::int64_t batch = 1 << 16;
  if (at / batch != (at + step) / batch && cancel.stop_requested()) throw Cancelled();
}

void read_packed(const MappedFile& file, const Header& header, const std::stop_token& cancel, std::byte* out) {
  const Shape& shape = header.layout.shape;
  const std::byte* row = file.data() + header.samples_at;
  for (std::int64_t y = 0; y < shape.y; ++y, row += (shape.x + 7) / 8, out += shape.x) {
    require_wanted(cancel, y * shape.x, shape.x);
    unpack_bits(row, shape.x, 1, out);
    for (std::int64_t x = 0; x < shape.x; ++x) out[x] ^= std::byte{1};  // 1 is black
  }
}

void read_text(const MappedFile& file, const Header& header, const std::stop_token& cancel, std::byte* out) {
  Tokens tokens(file, header.samples_at, file.size());
  const std::int64_t width = sample_bytes(header.layout.type);
  const std::int64_t count = header.layout.shape.y * header.layout.shape.x * header.layout.channels;
  for (std::int64_t i = 0; i < count; ++i) {
    require_wanted(cancel, i, 1);
    if (header.bits()) {
      out[i] = tokens.bit();
      continue;
    }
    const std::int64_t value = tokens.number();
    if (value > header.maxval) {
      refuse("{}: corrupt PNM: got a sample of {}, wanted {} at most", file.path(), value, header.maxval);
    }
    const auto sample = static_cast<std::uint16_t>(value);
    if (width == 1) out[i] = static_cast<std::byte>(sample);
    if (width == 2) std::memcpy(out + 2 * i, &sample, 2);
  }
  tokens.skip();
  if (tokens.at() != file.size()) {
    refuse("{}: got {} further bytes behind the last sample, wanted none", file.path(), file.size() - tokens.at());
  }
}

std::unique_ptr<Source> open_pnm(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  MappedFile file(path);
  const Header header = read_header(file);
  const Shape& shape = header.layout.shape;
  const std::int64_t bytes = checked_bytes(path, header.layout);
  const std::int64_t samples = (Checked(file.size()) - header.samples_at).value_or(0);
  const std::int64_t packed = ((Checked(shape.x) + 7) / 8 * shape.y).value(path, "the size of its samples");
  const std::int64_t wanted = header.kind == '4' ? packed : bytes;
  // Text needs a digit a sample at the least; binary samples have an exact length. More than one image in a file
  // would otherwise be read as the first alone.
  const std::int64_t fewest = bytes / sample_bytes(header.layout.type);
  if (header.text() ? samples < fewest : samples != wanted) {
    refuse("{}: got {} bytes of samples, wanted {}{} ({} {})", path, samples, header.text() ? fewest : wanted,
           header.text() ? " at least" : "", to_string(shape), name(header.layout.type));
  }
  const std::string description = fmt::format("PNM, P{}, maximum {}", header.kind, header.maxval);
  if (header.text() || header.bits()) {
    const auto mapped = std::make_shared<const MappedFile>(std::move(file));
    return read_by(path, header.layout, description,
                   [mapped, header, cancel = options.cancel](std::int64_t, std::int64_t, std::byte* out) {
                     header.text() ? read_text(*mapped, header, cancel, out)
                                   : read_packed(*mapped, header, cancel, out);
                   });
  }
  return open_flat(std::move(file), {header.samples_at, bytes, native_little && header.maxval > 255}, header.layout,
                   description, options.cancel);
}

std::unique_ptr<SliceSink> create_pnm(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_single_slice(path, "PNM", layout);
  const std::string_view extension = std::string_view(path).substr(path.find_last_of('.') + 1);
  const bool bitmap = extension == "pbm" || extension == "PBM" || (extension == "pnm" && layout.type == Type::Bool);
  const bool fits = layout.type == Type::Bool || layout.type == Type::U8 || layout.type == Type::U16;
  if (bitmap ? layout.type != Type::Bool || layout.channels != 1 : !fits) {
    refuse("{}: got {} samples, wanted {}", path, name(layout.type), bitmap ? "bool" : "bool, u8 or u16");
  }
  const bool colour = layout.channels == 3;
  const bool ppm = extension == "ppm" || extension == "PPM";
  if ((layout.channels != 1 && !colour) || (ppm && !colour) || (colour && (extension == "pgm" || extension == "PGM"))) {
    refuse("{}: got {} channels, wanted {}", path, layout.channels, ppm ? 3 : 1);
  }
  FlatRecipe recipe;
  recipe.head = fmt::format("P{}\n{} {}\n", bitmap ? 4 : colour ? 6 : 5, layout.shape.x, layout.shape.y);
  if (!bitmap) recipe.head += layout.type == Type::U16 ? "65535\n" : "255\n";
  recipe.bool_as = bitmap ? FlatRecipe::Bool::PackedBlackIsOne : FlatRecipe::Bool::Zero255;
  recipe.big_endian = true;
  return create_flat(target, layout, std::move(recipe));
}

bool is_pnm(std::string_view head) {
  return head.size() > 2 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6' &&
         std::isspace(static_cast<unsigned char>(head[2]));
}

}  // namespace

extern const Format pnm_format{"PNM", {".pgm", ".pbm", ".ppm", ".pnm"}, is_pnm, open_pnm, create_pnm, true};

}  // namespace tamis::io
