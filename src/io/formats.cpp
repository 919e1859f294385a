// All formats in one list: a new one is a line here and a file that has its Format (HACKING.md).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "io/format.hpp"

namespace tamis::io {

extern const Format png_format;
extern const Format jpeg_format;
extern const Format pnm_format;
extern const Format pfm_format;
extern const Format npy_format;
extern const Format nrrd_format;
extern const Format meta_format;
extern const Format nifti_format;
extern const Format nifti_pair_format;
extern const Format mrc_format;
extern const Format bmp_format;

namespace {

constexpr const Format* all_formats[] = {&raw_format,  &raw_gzip_format, &tiff_format, &png_format,  &jpeg_format,
                                         &pnm_format,  &pfm_format,      &npy_format,  &hdf5_format, &nrrd_format,
                                         &meta_format, &nifti_format, &nifti_pair_format, &dicom_format, &bmp_format,
                                         &mrc_format, &zarr_format};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

}  // namespace

std::span<const Format* const> formats() { return all_formats; }

const Format* format_by_name(std::string_view path) {
  std::string name = lower(path);
  while (name.ends_with('/')) name.pop_back();  // a folder
  for (const Format* const format : all_formats) {
    for (const std::string_view extension : format->extensions) {
      if (!extension.empty() && name.ends_with(extension)) return format;
    }
  }
  return nullptr;
}

const Format* format_by_content(std::string_view head) {
  for (const Format* const format : all_formats) {
    if (format->matches && format->matches(head)) return format;
  }
  return nullptr;
}

std::string known_extensions(bool writable) {
  std::string text;
  for (const Format* const format : all_formats) {
    if (writable && !format->create) continue;
    for (const std::string_view extension : format->extensions) {
      if (!extension.empty() && !(writable && extension == format->only_read)) text += fmt::format("{}{}", text.empty() ? "" : " ", extension);
    }
  }
  return text;
}

}  // namespace tamis::io
