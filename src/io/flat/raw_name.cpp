#include "io/flat/flat.hpp"

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "io/refuse.hpp"

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
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
    edges.push_back(value);
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

std::string skip_words(const ReadOptions& options) {
  return options.skip > 0 ? fmt::format(", {} bytes skipped", options.skip) : "";
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

}  // namespace tamis::io
