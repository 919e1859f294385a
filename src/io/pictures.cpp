// PNG and JPEG: what is known of them without their libraries.
#include "io/format.hpp"
#include "io/png_write.hpp"

namespace tamis::io {
namespace {

bool is_png(std::string_view head) { return head.starts_with("\x89PNG\r\n\x1a\n"); }
bool is_jpeg(std::string_view head) { return head.starts_with("\xff\xd8\xff"); }

}  // namespace

const Format png_format{"PNG", {".png"}, is_png, nullptr, create_png, Decoder::Png};
const Format jpeg_format{"JPEG", {".jpg", ".jpeg"}, is_jpeg, nullptr, nullptr, Decoder::Jpeg};

}  // namespace tamis::io
