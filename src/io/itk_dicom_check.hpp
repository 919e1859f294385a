// Our own reading of a DICOM file, in front of GDCM: is every byte there that the lengths in it promise?
#pragma once

#include <string>
#include <string_view>

namespace tamis::io {

/// "DICM" behind a preamble of 128 bytes.
[[nodiscard]] bool is_dicom(std::string_view head);
/// Walks the elements of a file up to its pixel data and holds these against rows, columns, bits and frames. Throws
/// InputError for a truncated file, one without pixel data, and lengths that contradict each other.
void check_dicom(const std::string& path);

}  // namespace tamis::io
