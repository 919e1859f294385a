// GDCM for the rest of tamis: a process that decodes the pixel data of DICOM files.
#pragma once

#include <cstddef>
#include <string>

#include "io/confined/process.hpp"
#include "io/dicom/wire.hpp"

namespace tamis::io {

/// Starts the process where it is needed, and ends it. A file that ends it is an InputError; later questions start
/// another.
class DicomClient {
 public:
  explicit DicomClient(const ReadOptions& options) : process_(Decoders::Dicom, options) {}

  /// All samples of a file that has this type and these sizes, to `out`. Throws InputError with GDCM's reason,
  /// ResourceError where tamis has no GDCM.
  void samples(const std::string& path, const DicomQuestion& question, std::byte* out);

 private:
  DecoderProcess process_;
};

}  // namespace tamis::io
