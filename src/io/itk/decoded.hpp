// DICOM files, whose samples GDCM decodes as a whole: one file of many slices, or many of one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/format.hpp"
#include "io/itk/client.hpp"
#include "io/itk/dicom_check.hpp"

namespace tamis::io {

struct ItkPart {
  std::string path;
  ItkHeader header;  ///< as it was when the file was opened
  DicomFacts facts;
};

/// The parts in order of z, each with layout.shape.z / parts.size() slices; samples of a part's own type become those
/// of the layout. One part is in memory at a time.
[[nodiscard]] std::unique_ptr<Source> open_decoded(const std::string& path, const Layout& layout,
                                                   std::string description, std::vector<ItkPart> parts,
                                                   std::unique_ptr<ItkClient> itk);

}  // namespace tamis::io
