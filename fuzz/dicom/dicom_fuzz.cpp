// DICOM files: our own walk through the elements, what they mean, and uncompressed samples. Fuzzers are built without
// GDCM: compressed ones end where it is asked.
#include <string_view>

#include <tamis/error.hpp>

#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(dicom) {
  static tamis::fuzz::InputFile file("input.dcm");
  file.put(bytes);
  try {
    tamis::fuzz::read_all(file.path());
  } catch (const tamis::ResourceError& error) {
    tamis::fuzz::expect(std::string_view(error.what()).find("without") != std::string_view::npos, error.what());
  }
}
