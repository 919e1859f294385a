// All formats in one list: a new one is a line here and a file that has its Format (HACKING.md).
#include <fmt/format.h>


#include "io/format.hpp"
#include "io/header_text.hpp"

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

using namespace std::string_view_literals;

/// What people have that is not read, and what to make of it.
struct Foreign {
  std::string_view magic;
  std::string_view name;
  std::string_view way_out;
};
constexpr Foreign foreign[] = {
    {"GIF8", "GIF", "PNG, or a TIFF stack of its pictures"},
    {"PK\x03\x04", "zip (.npz of NumPy, sparse matrices of SciPy)", "one dense array, .npy"},
    {"MATLAB 5.0", "MATLAB of before 7.3", "one saved with -v7.3, which is HDF5, or .npy"},
    {"%%MatrixMarket", "Matrix Market (sparse matrix)", "a dense array, .npy"},
    {"\0\0\0\x0cjP  "sv, "JPEG 2000", "TIFF or PNG"},
    {"RIFF", "WebP", "PNG"},
};

}  // namespace

std::span<const Format* const> formats() { return all_formats; }

const Format* format_by_name(std::string_view path) {
  std::string name = lower_case(path);
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

std::string name_by_content(std::string_view head) {
  if (const Format* const format = format_by_content(head)) return fmt::format("a {} file", format->name);
  for (const auto& [magic, name, way_out] : foreign) {
    if (head.starts_with(magic)) return fmt::format("a {} file, which is not read (make {} of it)", name, way_out);
  }
  return "unknown first bytes";
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
