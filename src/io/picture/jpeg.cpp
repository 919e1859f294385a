// JPEG: what is known of it without its library.
#include "core/system/mapped_file.hpp"
#include "io/confined/decoder.hpp"
#include "io/format.hpp"
#include "io/upright.hpp"

namespace tamis::io {
namespace {

bool is_jpeg(std::string_view head) { return head.starts_with("\xff\xd8\xff"); }

std::unique_ptr<Source> open_jpeg_file(const std::string& path, const ReadOptions& options,
                                       const SharedDecoder& process) {
  std::unique_ptr<Source> picture = open_remote(Decoder::Jpeg, path, options, process);
  picture->set_orientation(jpeg_orientation(MappedFile(path).text()));
  return picture;
}

}  // namespace

extern const Format jpeg_format{"JPEG", {".jpg", ".jpeg"}, is_jpeg, open_jpeg_file, nullptr, true};

}  // namespace tamis::io
