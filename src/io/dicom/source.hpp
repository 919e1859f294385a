// Slices of DICOM files in the order of a volume.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/dicom/check.hpp"
#include "io/format.hpp"

namespace tamis::io {

struct DicomFile {
  std::string path;
  DicomFacts facts;  ///< as they were when the file was opened
};

struct DicomSlice {
  std::size_t file = 0;
  std::int64_t frame = 0;
  double place = 0;  ///< along the normal, in mm, or what else sorts the slices
  double slope = 1;  ///< values are slope * sample + intercept
  double intercept = 0;
  std::optional<std::array<double, 3>> position = {};  ///< of its first pixel
};

/// The slices in order of z; their samples become those of the layout. Of files with uncompressed samples one is mapped
/// at a time, of others one is in memory.
[[nodiscard]] std::unique_ptr<Source> open_slices(const std::string& path, const Layout& layout,
                                                  std::string description, std::vector<DicomFile> files,
                                                  std::vector<DicomSlice> slices, const ReadOptions& options);

}  // namespace tamis::io
