// PFM, the portable float map: "Pf", width and height, a number whose sign says the order of the bytes, then rows of
// f32 from the bottom to the top. http://www.pauldebevec.com/Research/HDR/PFM/
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/format.hpp"
#include "io/header_text.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/upright.hpp"

namespace tamis::io {
namespace {

struct Header {
  Shape shape;
  bool swapped = false;
  std::int64_t samples_at = 0;
};

/// The next number of the header; exactly one space stands behind the last.
template <class Number>
Number next_number(const MappedFile& file, std::string_view text, std::size_t& at, std::string_view what) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  Number number{};
  const auto [end, fault] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  const auto behind = static_cast<std::size_t>(end - text.data());
  if (fault != std::errc{} || behind >= text.size() || !std::isspace(static_cast<unsigned char>(text[behind]))) {
    refuse("{}: truncated or corrupt PFM: wanted the {} at byte {}", file.path(), what, at);
  }
  at = behind;
  return number;
}

Header read_header(const MappedFile& file) {
  const std::string_view text = file.text().substr(0, static_cast<std::size_t>(longest_header));
  if (text.starts_with("PF")) refuse("{}: PFM of three channels; wanted grey (Pf)", file.path());
  Header header;
  std::size_t at = 2;
  header.shape = {1, 0, next_number<std::int64_t>(file, text, at, "width"), 2};
  header.shape.y = next_number<std::int64_t>(file, text, at, "height");
  const auto scale = next_number<double>(file, text, at, "scale");
  if (!std::isfinite(scale) || scale == 0) {
    refuse("{}: PFM with a scale of {}; wanted a number that is not 0", file.path(), scale);
  }
  header.swapped = (scale < 0) != native_little;
  header.samples_at = static_cast<std::int64_t>(at) + 1;
  return header;
}

std::unique_ptr<Source> open_pfm(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  MappedFile file(path);
  const Header header = read_header(file);
  const Layout layout{Type::F32, header.shape, 1, {}};
  const std::int64_t wanted = checked_bytes(path, layout);
  const std::int64_t got = (Checked(file.size()) - header.samples_at).value_or(0);
  if (got != wanted)
    refuse("{}: got {} bytes of samples, wanted {} ({} f32)", path, got, wanted, to_string(header.shape));
  constexpr int bottom_up = 4;
  auto source = open_flat(std::move(file), {header.samples_at, wanted, header.swapped}, layout, "PFM", options.cancel);
  source->notes.orientation = bottom_up;
  return upright(std::move(source));
}

std::unique_ptr<SliceSink> create_pfm(const Target& target, const Layout& layout) {
  require_single_slice(target.path, "PFM", layout);
  require_grey(target.path, "PFM", layout);
  if (layout.type != Type::F32) refuse("{}: got {} samples, wanted f32", target.path, name(layout.type));
  FlatRecipe recipe;
  recipe.head = fmt::format("Pf\n{} {}\n-1.0\n", layout.shape.x, layout.shape.y);
  recipe.bottom_up = true;
  return create_flat(target, layout, std::move(recipe));
}

bool is_pfm(std::string_view head) {
  return head.size() > 2 && (head.starts_with("Pf") || head.starts_with("PF")) &&
         std::isspace(static_cast<unsigned char>(head[2]));
}

}  // namespace

extern const Format pfm_format{"PFM", {".pfm"}, is_pfm, open_pfm, create_pfm, true};

}  // namespace tamis::io
