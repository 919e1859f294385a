// ITK for the rest of tamis: a process that answers questions about files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "io/confined/process.hpp"
#include "io/itk/wire.hpp"

namespace tamis::io {

/// Starts the process (30 ms) and ends it. A file that ends it is an InputError; later questions start another.
class ItkClient {
 public:
  explicit ItkClient(const ReadOptions& options = {}) : process_(Decoders::Itk, options) {}

  /// What ITK understands of a file. Throws InputError with ITK's reason, ResourceError where tamis has no ITK.
  [[nodiscard]] ItkHeader header(const std::string& path);
  /// All samples of a file that had this type and these sizes, to `out`. Where `monochrome1` is the place of that word
  /// in a DICOM file, the process gets a copy that says MONOCHROME2: GDCM would turn the values around, the largest
  /// into 0, and not all of them come back from that.
  void samples(const std::string& path, std::int64_t monochrome1, Type type, const std::array<std::int64_t, 3>& sizes,
               std::byte* out);

 private:
  [[nodiscard]] bool ask(ItkQuestion question, const std::string& path) const;

  DecoderProcess process_;
};

}  // namespace tamis::io
