// JPEG through libjpeg, grey, RGB or CMYK, which becomes RGB; read only. libjpeg reports errors by longjmp from our handlers, so the functions
// that call setjmp hold no C++ objects. What libjpeg calls a warning is a damaged picture, and an error here.
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>  // jpeglib.h wants it
#include <vector>

#include <jpeglib.h>

#include "io/confined/decoder.hpp"
#include "core/system/mapped_file.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

// At best 64 samples of a block take one bit in a progressive file.
constexpr std::int64_t jpeg_ratio = 1024;

class JpegReader {
 public:
  explicit JpegReader(const MappedFile& file) : file_(file) {
    jpeg_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = on_error;
    errors_.base.emit_message = [](j_common_ptr jpeg, int level) {
      if (level < 0) on_error(jpeg);
    };
    if (!start()) {
      jpeg_destroy_decompress(&jpeg_);  // a constructor that throws has no destructor
      fail();
    }
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }

  [[nodiscard]] Layout layout() const {
    return {Type::U8,
            {1, static_cast<std::int64_t>(jpeg_.image_height), static_cast<std::int64_t>(jpeg_.image_width), 2},
            jpeg_.out_color_space == JCS_GRAYSCALE ? 1 : 3,
            {}};
  }
  void decode(std::byte* out) {
    // Inks take a byte a pixel more than their colours.
    const std::size_t bytes = static_cast<std::size_t>(jpeg_.image_width) * 4;
    std::vector<JSAMPLE> inks(jpeg_.out_color_space == JCS_CMYK ? bytes : 0);
    if (!decode_rows(reinterpret_cast<JSAMPROW>(out), inks.data())) fail();
  }

 private:
  /// Red is the paper that neither cyan nor black covers. Adobe's programs store how much is left free.
  void colours_of(const JSAMPLE* inks, JSAMPROW colours) const {
    const unsigned turn = jpeg_.saw_Adobe_marker ? 0 : 255;
    for (JDIMENSION x = 0; x < jpeg_.output_width; ++x, inks += 4, colours += 3) {
      for (int c = 0; c < 3; ++c) {
        colours[c] = static_cast<JSAMPLE>(((inks[c] ^ turn) * (inks[3] ^ turn) + 127) / 255);
      }
    }
  }
  struct Errors {
    jpeg_error_mgr base{};
    std::jmp_buf back{};
    std::array<char, JMSG_LENGTH_MAX> message{};
  };
  [[noreturn]] static void on_error(j_common_ptr jpeg) {
    auto* const errors = reinterpret_cast<Errors*>(jpeg->err);  // base is the first member
    jpeg->err->format_message(jpeg, errors->message.data());
    std::longjmp(errors->back, 1);
  }
  [[noreturn]] void fail() const { refuse("{}: corrupt or truncated JPEG: {}", file_.path(), errors_.message.data()); }
  bool start() {
    if (setjmp(errors_.back)) return false;
    jpeg_create_decompress(&jpeg_);
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(file_.data()),
                 static_cast<unsigned long>(file_.size()));
    jpeg_read_header(&jpeg_, TRUE);
    const bool inks = jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK;
    jpeg_.out_color_space = inks ? JCS_CMYK : jpeg_.jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
    return true;
  }
  /// `inks`: room for a row of four inks, where there are any.
  bool decode_rows(JSAMPROW row, JSAMPROW inks) {
    if (setjmp(errors_.back)) return false;
    jpeg_start_decompress(&jpeg_);
    const bool four = jpeg_.out_color_space == JCS_CMYK;
    const std::size_t stride = static_cast<std::size_t>(jpeg_.output_width) * (four ? 3 : jpeg_.output_components);
    while (jpeg_.output_scanline < jpeg_.output_height) {
      JSAMPROW const place = row + jpeg_.output_scanline * stride;
      JSAMPROW target = four ? inks : place;
      jpeg_read_scanlines(&jpeg_, &target, 1);
      if (four) colours_of(inks, place);
    }
    jpeg_finish_decompress(&jpeg_);
    return true;
  }

  const MappedFile& file_;
  Errors errors_;
  jpeg_decompress_struct jpeg_{};
};

}  // namespace

std::unique_ptr<Source> open_jpeg(const std::string& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  const Layout layout = JpegReader(*file).layout();
  check_expansion(path, layout, file->size(), jpeg_ratio);
  return read_by(path, layout, layout.channels == 1 ? "JPEG, grey" : "JPEG, RGB",
                 [file](std::int64_t, std::int64_t, std::byte* out) { JpegReader(*file).decode(out); });
}

}  // namespace tamis::io
