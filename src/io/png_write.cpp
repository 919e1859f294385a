#include "io/png_write.hpp"

#include <fmt/format.h>
#include <png.h>

#include <array>
#include <csetjmp>
#include <string>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "io/flat.hpp"
#include "io/format.hpp"
#include "io/samples.hpp"
#include "io/temporary_file.hpp"

namespace tamis::io {
namespace {

/// The rows encoded into memory: exceptions of a failing write must not pass through libpng.
class Encoder {
 public:
  Encoder() {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, [](png_structp, png_const_charp) {});
    if (!png_) throw EnvironmentError("out of memory: libpng could not start");
    info_ = png_create_info_struct(png_);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() { png_destroy_write_struct(&png_, &info_); }

  const std::string& encode(const Layout& layout, const std::vector<png_bytep>& rows) {
    static constexpr std::array<int, 5> colour_types{0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                                     PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    const int bits = layout.type == Type::U16 ? 16 : 8;
    if (!run(static_cast<png_uint_32>(layout.shape.x), static_cast<png_uint_32>(layout.shape.y), bits,
             colour_types[static_cast<std::size_t>(layout.channels)], const_cast<png_bytepp>(rows.data()))) {
      throw EnvironmentError("out of memory: libpng could not encode a picture of " + to_string(layout.shape));
    }
    return encoded_;
  }

 private:
  [[noreturn]] static void on_error(png_structp png, png_const_charp) { png_longjmp(png, 1); }
  static void on_write(png_structp png, png_bytep bytes, std::size_t count) {
    bool stored = true;
    try {
      static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(bytes), count);
    } catch (...) {
      stored = false;
    }
    if (!stored) png_error(png, "out of memory");
  }
  bool run(png_uint_32 width, png_uint_32 height, int bits, int colour_type, png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_write_fn(png_, &encoded_, on_write, nullptr);
    png_set_IHDR(png_, info_, width, height, bits, colour_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    if (bits == 16 && native_little) png_set_swap(png_);
    png_write_image(png_, rows);
    png_write_end(png_, nullptr);
    return true;
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::string encoded_;
};

class PngSink final : public SliceSink {
 public:
  PngSink(const std::string& path, const Layout& layout) : layout_(layout), count_(path, 1), file_(path) {}

  void write(const std::byte* slices, std::int64_t count) override {
    count_.add(count);
    const std::int64_t row = layout_.shape.x * layout_.channels * sample_bytes(layout_.type);
    std::vector<std::byte> samples(slices, slices + row * layout_.shape.y * count);
    if (layout_.type == Type::Bool) {
      for (std::byte& sample : samples) sample = sample == std::byte{0} ? std::byte{0} : std::byte{255};
    }
    std::vector<png_bytep> rows;
    for (std::int64_t y = 0; y < layout_.shape.y * count; ++y) {
      rows.push_back(reinterpret_cast<png_bytep>(samples.data() + y * row));
    }
    if (count > 0) file_.write(Encoder().encode(layout_, rows));
  }

  void finish() override {
    count_.require_all();
    file_.commit();
  }

 private:
  Layout layout_;
  SliceCount count_;
  TemporaryFile file_;
};

}  // namespace

std::unique_ptr<SliceSink> create_png(const std::string& path, const Layout& layout) {
  require_single_slice(path, "PNG", layout);
  if (layout.type != Type::Bool && layout.type != Type::U8 && layout.type != Type::U16) {
    throw InputError(fmt::format("{}: got {} samples, wanted bool, u8 or u16 for PNG", path, name(layout.type)));
  }
  if (layout.channels < 1 || layout.channels > 4) {
    throw InputError(fmt::format("{}: got {} channels, wanted 1 to 4 for PNG", path, layout.channels));
  }
  if (layout.shape.x > PNG_UINT_31_MAX || layout.shape.y > PNG_UINT_31_MAX) {
    throw InputError(fmt::format("{}: got {}, wanted edges below 2^31 for PNG", path, to_string(layout.shape)));
  }
  return std::make_unique<PngSink>(path, layout);
}

}  // namespace tamis::io
