// A DICOM file's elements, walked through before GDCM sees them.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "io/itk/dicom_lengths.hpp"

namespace tamis::io {

/// What our own reading of a file found.
struct DicomFacts {
  std::array<std::int64_t, 3> sizes{};  ///< x first
  DicomLengths lengths;
  std::int64_t bits_at = -1;      ///< where samples of one bit start; -1 for others
  std::int64_t monochrome1 = -1;  ///< where "MONOCHROME1" stands; -1 where low values are dark
};

/// Do the first bytes say so?
[[nodiscard]] bool is_dicom(std::string_view head);
/// Throws InputError where pixel data and what the elements say of them disagree, for truncated files, for colour and
/// for what GDCM would get wrong; Cancelled.
[[nodiscard]] DicomFacts check_dicom(const std::string& path, const std::stop_token& cancel);

}  // namespace tamis::io
