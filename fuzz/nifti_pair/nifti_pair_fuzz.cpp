// NIfTI headers whose samples lie in the file beside them.
#include <vector>

#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(nifti_pair) {
  static tamis::fuzz::InputFile header("input.hdr");
  static tamis::fuzz::InputFile samples("input.img");
  static const bool filled = [] {
    samples.put(std::vector<std::uint8_t>(120, 7));
    return true;
  }();
  static_cast<void>(filled);
  header.put(bytes);
  tamis::ReadOptions options;
  options.time = 0;
  tamis::fuzz::read_all(header.path(), options);
}
