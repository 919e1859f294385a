// NumPy .npy, versions 1 to 3.
#include <algorithm>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/header_text.hpp"
#include "io/samples.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_axes = 64;  // NumPy has no more

/// Reads the Python dictionary of a header, as far as NumPy writes one.
class Dictionary {
 public:
  Dictionary(const std::string& path, std::string_view text) : path_(path), rest_(text) { parse(); }

  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;

 private:
  [[noreturn]] void bad(std::string_view wanted) const {
    refuse("{}: corrupt NumPy header; wanted {} at \"{}\"", path_, wanted, shown(rest_.substr(0, 20)));
  }
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size())); }
  bool take(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string_view quoted() {
    skip_space();
    if (rest_.starts_with('[')) refuse("{}: a structured NumPy type; wanted one plain number a sample", path_);
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) bad("a quoted word");
    const std::string_view word = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return word;
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    if (!take("(")) bad("a tuple");
    while (!take(")")) {
      skip_space();
      if (numbers.size() == most_axes) bad(fmt::format("{} axes at most", most_axes));
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc()) bad("a number");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      take("L");  // Python 2 wrote 5L
      numbers.push_back(value);
      if (!take(",") && !rest_.starts_with(')')) bad("\",\" or \")\"");
    }
    return numbers;
  }
  void parse() {
    if (!take("{")) bad("\"{\"");
    while (!take("}")) {
      const std::string_view key = quoted();
      if (!take(":")) bad("\":\"");
      if ((key == "descr" && descr) || (key == "fortran_order" && fortran_order) || (key == "shape" && shape)) {
        bad("each key once");
      }
      if (key == "descr") {
        descr = quoted();
      } else if (key == "fortran_order") {
        if (take("True"))
          fortran_order = true;
        else if (take("False"))
          fortran_order = false;
        else
          bad("True or False");
      } else if (key == "shape") {
        shape = tuple();
      } else {
        bad("one of the keys descr, fortran_order, shape");
      }
      if (!take(",") && !rest_.starts_with('}')) bad("\",\" or \"}\"");
    }
    skip_space();
    if (!rest_.empty()) bad("the end");
    if (!descr || !fortran_order || !shape) bad("descr, fortran_order and shape");
  }

  std::string path_;
  std::string_view rest_;
};

/// Where the dictionary starts and how long it is.
std::pair<std::int64_t, std::int64_t> header_place(const MappedFile& file) {
  if (!file.text().starts_with(magic)) refuse("{}: not a NumPy file; wanted .npy", file.path());
  const std::int64_t version = file.size() > 6 ? std::to_integer<std::int64_t>(file.data()[6]) : 0;
  const std::int64_t start = version == 1 ? 10 : 12;
  if (file.size() < start) {
    refuse("{}: truncated NumPy header: got {} bytes, wanted {} at least", file.path(), file.size(), start);
  }
  if (version < 1 || version > 3) refuse("{}: NumPy format version {}; wanted 1, 2 or 3", file.path(), version);
  const std::int64_t length = version == 1 ? number_at<std::uint16_t>(file.data() + 8, !native_little)
                                           : number_at<std::uint32_t>(file.data() + 8, !native_little);
  if (length > longest_header) header_too_long(file.path(), "NumPy");
  if (!within(start, length, file.size())) {
    refuse("{}: truncated NumPy header: got {} bytes, wanted {} at least", file.path(), file.size(), start + length);
  }
  return {start, length};
}

FileType type_of(const std::string& path, std::string_view descr) {
  const bool order = !descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
  if (const auto type = numpy_type(descr.substr(order ? 1 : 0)); order && type) return *type;
  refuse("{}: NumPy type {}; wanted bool, an integer, float16, float32 or float64", path, shown(descr));
}

Shape shape_of(const std::string& path, const std::vector<std::int64_t>& edges) {
  const std::vector<std::size_t> axes = axes_of_image(std::span<const std::int64_t>(edges));
  if (axes.size() == 2) return {1, edges[axes[0]], edges[axes[1]], 2};
  if (axes.size() == 3) return {edges[axes[0]], edges[axes[1]], edges[axes[2]], 3};
  refuse("{}: a NumPy array of {} dimensions; wanted 2 or 3, or more of which all others are of one sample", path,
         edges.size());
}

std::unique_ptr<Source> open_npy(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  MappedFile file(path);
  const auto [start, length] = header_place(file);
  const Dictionary header(path, file.text().substr(static_cast<std::size_t>(start), static_cast<std::size_t>(length)));
  const FileType type = type_of(path, *header.descr);
  const Layout layout{type.type, shape_of(path, *header.shape), 1, {}};
  const std::int64_t bytes = checked_bytes(path, layout);
  const Checked samples = Checked(file.size()) - start - length;
  if (!samples.is(bytes)) {
    refuse("{}: got {} bytes of samples, wanted {} ({} {})", path, samples.value_or(0), bytes, to_string(layout.shape),
           name(layout.type));
  }
  const char order = header.descr->front();
  const bool swapped = sample_bytes(layout.type) > 1 && (order == '>' ? native_little : order == '<' && !native_little);
  const std::string description = fmt::format("NumPy, {}{}", *header.descr, *header.fortran_order ? ", Fortran order" : "");
  const std::int64_t begin = start + length;
  std::unique_ptr<Source> source =
      *header.fortran_order
          ? open_columns(std::move(file), begin, swapped, layout, description, options.cancel)
          : open_flat(std::move(file), {begin, bytes / layout.shape.z, swapped}, layout, description, options.cancel);
  source->halves = type.halves;
  return source;
}

std::unique_ptr<SliceSink> create_npy(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_grey(path, "NumPy", layout);
  const char order = sample_bytes(layout.type) == 1 ? '|' : '<';
  const Shape& s = layout.shape;
  const std::string shape = s.rank == 2 ? fmt::format("{}, {}", s.y, s.x) : fmt::format("{}, {}, {}", s.z, s.y, s.x);
  std::string header =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order, numpy_name(layout.type), shape);
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');  // samples start at a multiple of 64
  header += '\n';
  FlatRecipe recipe;
  recipe.head = magic;
  recipe.head += {'\x01', '\x00', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  recipe.head += header;
  recipe.bool_as = FlatRecipe::Bool::ZeroOne;
  return create_flat(target, layout, std::move(recipe));
}

bool is_npy(std::string_view head) { return head.starts_with(magic); }

}  // namespace

extern const Format npy_format{"NumPy", {".npy"}, is_npy, open_npy, create_npy};

}  // namespace tamis::io
