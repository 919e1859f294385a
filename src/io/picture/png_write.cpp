#include "io/format.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <string>
#include <utility>
#include <vector>

#include "io/output/output.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

/// Encodes into memory, some rows at a time: exceptions of a failing write must not pass through libpng, and a Ctrl-C
/// is heard between two calls.
class Encoder {
 public:
  explicit Encoder(const Layout& layout) : layout_(layout) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, [](png_structp, png_const_charp) {});
    if (!png_) throw ResourceError("out of memory: libpng could not start");
    info_ = png_create_info_struct(png_);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() { png_destroy_write_struct(&png_, &info_); }

  void begin() { require(run_begin()); }
  void rows(const std::byte* samples, std::int64_t count) {
    const std::int64_t row = layout_.shape.x * layout_.channels * sample_bytes(layout_.type);
    require(run_rows(const_cast<png_bytep>(reinterpret_cast<png_const_bytep>(samples)), count, row));
  }
  void end() { require(run_end()); }
  /// What has been encoded since the last call.
  [[nodiscard]] std::string take() { return std::exchange(encoded_, {}); }

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
  void require(bool fine) const {
    if (fine) return;
    throw ResourceError("out of memory: libpng could not encode a picture of " + to_string(layout_.shape));
  }
  bool run_begin() {
    static constexpr std::array<int, 5> colour_types{0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                                     PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    const int bits = layout_.type == Type::U16 ? 16 : 8;
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_write_fn(png_, &encoded_, on_write, nullptr);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(layout_.shape.x), static_cast<png_uint_32>(layout_.shape.y),
                 bits, colour_types[static_cast<std::size_t>(layout_.channels)], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    if (bits == 16 && native_little) png_set_swap(png_);
    return true;
  }
  bool run_rows(png_bytep samples, std::int64_t count, std::int64_t row) {
    if (setjmp(png_jmpbuf(png_))) return false;
    for (std::int64_t y = 0; y < count; ++y) png_write_row(png_, samples + y * row);
    return true;
  }
  bool run_end() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_write_end(png_, nullptr);
    return true;
  }

  Layout layout_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::string encoded_;
};

class PngSink final : public FileSink {
 public:
  PngSink(const Target& target, const Layout& layout) : FileSink(target, layout), encoder_(layout) {}

 private:
  void write_slices(const std::byte* slices, std::int64_t) override {
    // About 20 ms of libpng's work.
    constexpr std::int64_t piece = std::int64_t{1} << 20;
    const std::int64_t row = layout().shape.x * layout().channels * sample_bytes(layout().type);
    const std::int64_t at_once = std::max<std::int64_t>(1, piece / row);
    std::vector<std::byte> samples;
    encoder_.begin();
    for (std::int64_t y = 0; y < layout().shape.y; y += at_once) {
      file().check_cancel();
      const std::int64_t count = std::min(at_once, layout().shape.y - y);
      samples.assign(slices + y * row, slices + (y + count) * row);
      if (layout().type == Type::Bool) {
        for (std::byte& sample : samples) sample = sample == std::byte{0} ? std::byte{0} : std::byte{255};
      }
      encoder_.rows(samples.data(), count);
      file().write(encoder_.take());
    }
    encoder_.end();
    file().write(encoder_.take());
  }

  Encoder encoder_;
};

}  // namespace

std::unique_ptr<SliceSink> create_png(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_single_slice(path, "PNG", layout);
  if (layout.type != Type::Bool && layout.type != Type::U8 && layout.type != Type::U16) {
    refuse("{}: got {} samples, wanted bool, u8 or u16 for PNG", path, name(layout.type));
  }
  if (layout.channels < 1 || layout.channels > 4) {
    refuse("{}: got {} channels, wanted 1 to 4 for PNG", path, layout.channels);
  }
  if (layout.shape.x > PNG_UINT_31_MAX || layout.shape.y > PNG_UINT_31_MAX) {
    refuse("{}: got {}, wanted edges below 2^31 for PNG", path, to_string(layout.shape));
  }
  return std::make_unique<PngSink>(target, layout);
}

}  // namespace tamis::io
