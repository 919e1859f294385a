// TIFF and BigTIFF files.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(tiff) {
  static tamis::fuzz::InputFile file("input.tif");
  file.put(bytes);
  tamis::fuzz::read_all(file.path());
}
