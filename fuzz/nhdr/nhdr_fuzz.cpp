// NRRD headers whose samples lie in another file.
#include <vector>

#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(nhdr) {
  static tamis::fuzz::InputFile header("input.nhdr");
  static tamis::fuzz::InputFile samples("samples.raw");
  static const bool filled = [] {
    samples.put(std::vector<std::uint8_t>(64, 7));
    return true;
  }();
  static_cast<void>(filled);
  header.put(bytes);
  tamis::fuzz::read_all(header.path());
}
