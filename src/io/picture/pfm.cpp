// PFM, the portable float map: "Pf", width and height, a number whose sign says the order of the bytes, then rows of
// f32 from the bottom to the top. http://www.pauldebevec.com/Research/HDR/PFM/
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/format.hpp"
#include "io/header_text.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

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

class PfmSource final : public Source {
 public:
  PfmSource(MappedFile file, const Header& header)
      : Source(file.path(), Layout{Type::F32, header.shape, 1, {}}, "PFM"), file_(std::move(file)), header_(header) {}

 private:
  void read_slices(std::int64_t, std::int64_t, std::byte* out) override {
    const std::int64_t row = 4 * header_.shape.x;
    const std::byte* const samples = file_.data() + header_.samples_at;
    for (std::int64_t y = 0; y < header_.shape.y; ++y, out += row) {
      std::memcpy(out, samples + (header_.shape.y - 1 - y) * row, static_cast<std::size_t>(row));
      if (header_.swapped) swap_bytes(out, header_.shape.x, 4);
    }
  }

  MappedFile file_;
  Header header_;
};

std::unique_ptr<Source> open_pfm(const std::string& path, const ReadOptions&, const SharedDecoder&) {
  MappedFile file(path);
  const Header header = read_header(file);
  const std::int64_t wanted = checked_bytes(path, Layout{Type::F32, header.shape, 1, {}});
  const std::int64_t got = (Checked(file.size()) - header.samples_at).value_or(0);
  if (got != wanted) {
    refuse("{}: got {} bytes of samples, wanted {} ({} f32)", path, got, wanted, to_string(header.shape));
  }
  return std::make_unique<PfmSource>(std::move(file), header);
}

/// Turns the one slice upside down on its way into the file.
class PfmSink final : public SliceSink {
 public:
  PfmSink(std::unique_ptr<SliceSink> file, const Shape& shape) : file_(std::move(file)), shape_(shape) {}

  void write(const std::byte* samples, std::int64_t count) override {
    const std::int64_t row = 4 * shape_.x;
    std::vector<std::byte> turned(static_cast<std::size_t>(row * shape_.y));
    for (std::int64_t y = 0; y < shape_.y; ++y) {
      std::memcpy(turned.data() + (shape_.y - 1 - y) * row, samples + y * row, static_cast<std::size_t>(row));
    }
    file_->write(turned.data(), count);
  }
  void finish() override { file_->finish(); }

 private:
  std::unique_ptr<SliceSink> file_;
  Shape shape_;
};

std::unique_ptr<SliceSink> create_pfm(const Target& target, const Layout& layout) {
  require_single_slice(target.path, "PFM", layout);
  require_grey(target.path, "PFM", layout);
  if (layout.type != Type::F32) refuse("{}: got {} samples, wanted f32", target.path, name(layout.type));
  FlatRecipe recipe;
  recipe.head = fmt::format("Pf\n{} {}\n-1.0\n", layout.shape.x, layout.shape.y);
  return std::make_unique<PfmSink>(create_flat(target, layout, std::move(recipe)), layout.shape);
}

bool is_pfm(std::string_view head) {
  return head.size() > 2 && (head.starts_with("Pf") || head.starts_with("PF")) &&
         std::isspace(static_cast<unsigned char>(head[2]));
}

}  // namespace

extern const Format pfm_format{"PFM", {".pfm"}, is_pfm, open_pfm, create_pfm, true};

}  // namespace tamis::io
