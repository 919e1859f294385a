// Headerless samples, x fastest, plain or compressed with gzip: then slices come in order, and going back starts again.
// Shape and type are those of the options, else of the name.
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/header_text.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(separators);
    if (end != 0) words.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

/// "600x600x250" and "512x512", x first.
std::optional<Shape> shape_of(std::string_view word) {
  if (word.empty() || word.front() == 'x' || word.back() == 'x') return std::nullopt;
  std::vector<std::int64_t> edges;
  for (const std::string_view number : split(word, "x")) {
    const std::optional<std::int64_t> value = whole_number(number);
    if (!value) return std::nullopt;
    edges.push_back(*value);
  }
  if (edges.size() == 2) return Shape{1, edges[1], edges[0], 2};
  if (edges.size() == 3) return Shape{edges[2], edges[1], edges[0], 3};
  return std::nullopt;
}

/// Only words that nobody writes by chance: "u8", "float32", "bool", "16bit", and not "long" or "short".
std::optional<Type> type_of(std::string_view word) {
  if (word == "8bit") return Type::U8;
  if (word == "16bit") return Type::U16;
  if (word != "bool" && word.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  return type_from_name(word);
}

/// What a name says, as far as it says it; the last word of a kind counts.
struct Said {
  std::optional<Shape> shape;
  std::optional<Type> type;
};

Said said_by(const std::string& path) {
  Said said;
  const std::string stem = std::filesystem::path(path).filename().string();
  for (const std::string_view word : split(stem, "_-. ")) {
    if (const auto shape = shape_of(word)) said.shape = shape;
    if (const auto type = type_of(word)) said.type = type;
  }
  return said;
}

/// "raw, x fastest, little endian, gzip, 512 bytes skipped"
std::string words(const ReadOptions& options, Type type, const char* packing) {
  const bool little = options.byte_order == ByteOrder::Little;
  return fmt::format("raw, x fastest{}{}{}",
                     sample_bytes(type) == 1 ? ""
                     : little                ? ", little endian"
                                             : ", big endian",
                     packing, options.skip > 0 ? fmt::format(", {} bytes skipped", options.skip) : "");
}

bool is_swapped(const ReadOptions& options, Type type) {
  return sample_bytes(type) > 1 && (options.byte_order == ByteOrder::Little) != native_little;
}

/// A header is what most files have that are too long.
std::string skip_hint(const ReadOptions& options, std::int64_t got, std::int64_t samples) {
  if (options.skip > 0 || got <= samples) return {};
  return fmt::format("; `skip {}` leaves out what may be a header", got - samples);
}

std::unique_ptr<Source> open_raw(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  MappedFile file(path);
  const Layout layout = raw_layout(path, options);
  const std::int64_t samples = checked_bytes(path, layout);
  const std::int64_t wanted = (Checked(options.skip) + samples).value(path, "the end of its samples");
  if (file.size() != wanted) {
    refuse("{}: got {} bytes, wanted {}{} ({} {}){}", path, file.size(), wanted,
           options.skip > 0 ? fmt::format(", {} of them before the samples", options.skip) : "",
           to_string(layout.shape), name(layout.type), skip_hint(options, file.size(), samples));
  }
  return open_flat(std::move(file), {options.skip, samples / layout.shape.z, is_swapped(options, layout.type)}, layout,
                   words(options, layout.type, ""), options.cancel);
}

std::unique_ptr<Source> open_raw_gzip(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  MappedFile file(path);
  const Layout layout = raw_layout(path, options);
  StreamPlace place;
  place.skipped = options.skip;
  place.length = (Checked(options.skip) + checked_bytes(path, layout)).value(path, "the end of its samples");
  place.swapped = is_swapped(options, layout.type);
  place.trusts_trailer = true;
  return open_stream(std::move(file), place, layout, words(options, layout.type, ", gzip"), options.cancel);
}

void require_raw(const std::string& path, const Layout& layout) {
  require_grey(path, "raw", layout);
  require_true_name(path, layout);
}

std::unique_ptr<SliceSink> create_raw(const Target& target, const Layout& layout) {
  require_raw(target.path, layout);
  return create_flat(target, layout, {});
}

std::unique_ptr<SliceSink> create_raw_gzip(const Target& target, const Layout& layout) {
  require_raw(target.path, layout);
  return create_gzip(target, layout, {});
}

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

}  // namespace

Layout raw_layout(const std::string& path, const ReadOptions& options) {
  const Said said = said_by(path);
  const std::optional<Shape> shape = options.shape ? options.shape : said.shape;
  const std::optional<Type> type = options.dtype ? options.dtype : said.type;
  const char* const missing = !shape && !type ? "shape and type are" : !shape ? "the shape is" : "the type is";
  if (!shape || !type) {
    refuse("{}: {} not known; wanted {}{}{}, or a name such as foam_600x600x250_u8.raw", path, missing,
           shape ? "" : "`shape XxYxZ`", !shape && !type ? " and " : "", type ? "" : "`dtype u8`");
  }
  return {*type, *shape, 1, {}};
}

void require_true_name(const std::string& path, const Layout& layout) {
  const Said said = said_by(path);
  const Type written = layout.type == Type::Bool ? Type::U8 : layout.type;
  const Shape& shape = layout.shape;
  const bool shape_lies =
      said.shape && (said.shape->x != shape.x || said.shape->y != shape.y || said.shape->z != shape.z);
  if (!shape_lies && (!said.type || *said.type == written)) return;
  refuse("{}: the name says {}, got {} {}; wanted a name that is true, for raw files have no header", path,
         shape_lies ? to_string(*said.shape) : std::string(name(*said.type)), to_string(shape), name(written));
}

const Format raw_format{"raw", {".raw", ".vol"}, nullptr, open_raw, create_raw};
extern const Format raw_gzip_format{"gzip", {".raw.gz", ".vol.gz"}, is_gzip, open_raw_gzip, create_raw_gzip};

}  // namespace tamis::io
