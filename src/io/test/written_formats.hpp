// The formats that tamis writes, for tests that hold for all of them: a new format is a row here.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/io.hpp>

namespace tamis::io {

struct WrittenFormat {
  std::string file;           ///< a name that says the format
  std::vector<Type> types;    ///< that it holds
  bool volumes = true;        ///< or one slice only
  bool says_shape = true;     ///< the file tells shape and type, so that it opens without options
  bool exact_length = false;  ///< further bytes at its end are refused
  bool is_folder = false;     ///< of files, which tests of the bytes of one file leave out
  WriteOptions options = {};
};

inline const std::vector<Type> every_type{Type::Bool, Type::U8,  Type::U16, Type::I16, Type::F32, Type::I8,
                                          Type::U32,  Type::I32, Type::U64, Type::I64, Type::F64};

inline const std::vector<WrittenFormat>& written_formats() {
  static const std::vector<Type> no_bits(every_type.begin() + 1, every_type.end());
  static const std::vector<Type> picture_types{Type::Bool, Type::U8, Type::U16};
  static const std::vector<WrittenFormat> formats{
      {"a.raw", every_type, true, false, true},
      {"a.raw.gz", every_type, true, false, true},
      {"a.tif", every_type},
      {"deflate.tif", every_type, true, true, false, false, {TiffCompression::Deflate, {}}},
      {"zstd.tif", every_type, true, true, false, false, {TiffCompression::Zstd, {}}},
      {"a.npy", every_type, true, true, true},
      {"a.h5", every_type},
      {"a.zarr", every_type, true, true, false, true},
      {"five.zarr", every_type, true, true, false, true, {{}, OmeZarrVersion::V0_5}},
      {"a.nii.gz", no_bits, true, true, true},
      {"a.png", picture_types, false},
      {"a.pgm", picture_types, false, true, true},
      {"a.pbm", {Type::Bool}, false, true, true},
      {"a.pfm", {Type::F32}, false, true, true},
  };
  return formats;
}

/// A type that the format holds, the first of those that one may prefer; of formats of bits only, bool.
inline Type type_for(const WrittenFormat& format, const std::vector<Type>& preferred) {
  for (const Type type : preferred) {
    if (std::find(format.types.begin(), format.types.end(), type) != format.types.end()) return type;
  }
  return format.types.back();
}

}  // namespace tamis::io
