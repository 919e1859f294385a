// A DICOM file's elements, walked through before GDCM sees them: what they say, and whether they agree with the bytes.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>

#include "io/dicom/lut.hpp"
#include "io/dicom/values.hpp"

namespace tamis::io {

/// What our own reading of a file found.
struct DicomFacts {
  std::array<std::int64_t, 3> sizes{};  ///< x first; z are the frames
  Type type = Type::U8;                 ///< of the samples as they are stored; of single bits U8
  int bits_stored = 8;
  int lowest_bit = 0;            ///< of a sample among those that are allocated for it
  std::int64_t samples_at = -1;  ///< where uncompressed samples start; -1: they are compressed
  std::int64_t deflated_at =
      -1;  ///< all behind that byte is deflated, and `samples_at` counts what was inflated; -1: nothing is
  bool swapped = false;             ///< these are in the other order than this machine's
  bool packed = false;              ///< these are single bits, the first in the lowest
  std::string series;               ///< empty where the file does not say
  std::string number;               ///< the place in the series
  ModalityLut lut;                  ///< empty where there is none
  DicomValues values;               ///< that hold where a frame says nothing itself
  std::vector<DicomValues> frames;  ///< what each frame says; empty where none does
  std::vector<double> offsets;  ///< of the frames along the normal, in mm (radiotherapy); empty where there are none
};

/// What GDCM is asked (process.cpp), behind the path of a file: what its elements say of the samples. The answer is all
/// of them, as they are stored, dense, in native byte order.
struct DicomQuestion {
  std::int64_t width = 1;  ///< bytes of a sample
  std::int64_t is_signed = 0;
  std::array<std::int64_t, 3> sizes{};  ///< x first; z are the frames
};

[[nodiscard]] inline bool is_signed(Type type) {
  return type == Type::I8 || type == Type::I16 || type == Type::I32 || type == Type::I64;
}
/// Do the first bytes say so?
[[nodiscard]] bool is_dicom(std::string_view head);
/// Throws InputError where pixel data and what the elements say of them disagree, for truncated files, for colour and
/// for what GDCM would get wrong; Cancelled.
[[nodiscard]] DicomFacts check_dicom(const std::string& path, const std::stop_token& cancel);

}  // namespace tamis::io
