// PNG through libpng. libpng reports errors by longjmp, so the functions that call setjmp hold no C++ objects.
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <vector>

#include "core/system/mapped_file.hpp"
#include "io/confined/decoder.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t deflate_ratio = 1032;

/// A libpng reader over bytes in memory.
class PngReader {
 public:
  explicit PngReader(const MappedFile& file) : file_(file) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, [](png_structp, png_const_charp) {});
    if (!png_) throw ResourceError("out of memory: libpng could not start");
    info_ = png_create_info_struct(png_);
    if (!start()) {
      close();  // a constructor that throws has no destructor
      fail();
    }
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { close(); }

  [[nodiscard]] std::int64_t width() const { return png_get_image_width(png_, info_); }
  [[nodiscard]] std::int64_t height() const { return png_get_image_height(png_, info_); }
  [[nodiscard]] int bits() const { return png_get_bit_depth(png_, info_); }
  [[nodiscard]] int channels() const { return png_get_channels(png_, info_); }
  [[nodiscard]] bool has_palette() const { return png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE; }
  [[nodiscard]] std::vector<png_color> palette() {
    png_colorp colours = nullptr;
    int count = 0;
    png_get_PLTE(png_, info_, &colours, &count);
    std::vector<png_color> palette(colours, colours + count);
    png_bytep alpha = nullptr;
    int alphas = 0;
    png_get_tRNS(png_, info_, &alpha, &alphas, nullptr);
    const auto black = [](const png_color& c) { return c.red == 0 && c.green == 0 && c.blue == 0; };
    if (!std::all_of(palette.begin(), palette.end(), black)) return palette;
    for (int i = 0; i < std::min(alphas, count); ++i) {  // ink on a white page, as without_alpha() has it
      const auto paper = static_cast<png_byte>(255 - alpha[i]);
      palette[static_cast<std::size_t>(i)] = {paper, paper, paper};
    }
    return palette;
  }

  /// All samples as bytes or native words, as many channels as the file has; indices where there is a palette.
  void decode(std::byte* out) {
    const std::int64_t row = width() * channels() * (bits() == 16 ? 2 : 1);
    std::vector<png_bytep> rows;
    for (std::int64_t y = 0; y < height(); ++y) rows.push_back(reinterpret_cast<png_bytep>(out + y * row));
    if (!decode_rows(rows.data())) fail();
  }

 private:
  void close() { png_destroy_read_struct(&png_, &info_, nullptr); }
  [[noreturn]] void fail() const { refuse("{}: corrupt or truncated PNG: {}", file_.path(), message_.data()); }
  static void on_error(png_structp png, png_const_charp message) {
    auto& self = *static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(self.message_.data(), message, self.message_.size() - 1);
    png_longjmp(png, 1);
  }
  static void on_read(png_structp png, png_bytep out, std::size_t count) {
    auto& self = *static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > static_cast<std::size_t>(self.file_.size() - self.at_)) png_error(png, "the file ends too early");
    std::memcpy(out, self.file_.data() + self.at_, count);
    self.at_ += static_cast<std::int64_t>(count);
  }
  bool start() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_read_fn(png_, this, on_read);
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);  // texts and profiles inflate to gigabytes
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // sizes are held against the file's length instead
    png_read_info(png_, info_);
    return true;
  }
  bool decode_rows(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_))) return false;
    if (bits() < 8) png_set_packing(png_);
    if (bits() == 16 && native_little) png_set_swap(png_);
    png_set_interlace_handling(png_);
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  const MappedFile& file_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::int64_t at_ = 0;
  std::array<char, 128> message_{};
};

bool is_grey(const std::vector<png_color>& palette) {
  for (const png_color& c : palette) {
    if (c.red != c.green || c.green != c.blue) return false;
  }
  return true;
}

void place_colour(const std::string& path, const std::vector<png_color>& palette, std::size_t index, int channels,
                  std::byte* out) {
  if (index >= palette.size()) refuse("{}: corrupt PNG: colour {} of a palette of {}", path, index, palette.size());
  const png_color& colour = palette[index];
  out[0] = static_cast<std::byte>(colour.red);
  if (channels == 3) {
    out[1] = static_cast<std::byte>(colour.green);
    out[2] = static_cast<std::byte>(colour.blue);
  }
}

void decode(const MappedFile& file, const Layout& layout, std::byte* out) {
  PngReader decoder(file);
  const std::int64_t pixels = layout.shape.y * layout.shape.x;
  const std::vector<png_color> palette = decoder.has_palette() ? decoder.palette() : std::vector<png_color>();
  const bool small_grey = palette.empty() && (decoder.bits() == 2 || decoder.bits() == 4);
  if (palette.empty()) {
    if (decoder.channels() != layout.channels) refuse("{}: the file has changed since it was opened", file.path());
    decoder.decode(out);
    const unsigned scale = small_grey ? 255U / ((1U << decoder.bits()) - 1U) : 1;
    for (std::int64_t i = 0; small_grey && i < pixels; ++i) {
      out[i] = static_cast<std::byte>(std::to_integer<unsigned>(out[i]) * scale);
    }
    return;
  }
  std::vector<std::byte> indices(static_cast<std::size_t>(pixels * decoder.channels()));
  decoder.decode(indices.data());
  for (std::int64_t i = 0; i < pixels; ++i, out += layout.channels) {
    const auto index = std::to_integer<std::size_t>(indices[static_cast<std::size_t>(i)]);
    place_colour(file.path(), palette, index, layout.channels, out);
  }
}

}  // namespace

std::unique_ptr<Source> open_png(const std::string& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  PngReader decoder(*file);
  Layout layout{Type::U8, {1, decoder.height(), decoder.width(), 2}, decoder.channels(), {}};
  if (decoder.bits() == 16) layout.type = Type::U16;
  if (decoder.bits() == 1 && !decoder.has_palette()) layout.type = Type::Bool;
  check_expansion(path, layout, file->size() * (8 / std::min(8, decoder.bits())), deflate_ratio);
  if (decoder.has_palette()) layout.channels = is_grey(decoder.palette()) ? 1 : 3;
  const std::string description =
      fmt::format("PNG, {}-bit{}", decoder.bits(), decoder.has_palette() ? ", palette" : "");
  // The header alone has been read; the samples are when they are asked for.
  return read_by(path, layout, description,
                 [file, layout](std::int64_t, std::int64_t, std::byte* out) { decode(*file, layout, out); });
}

}  // namespace tamis::io
