// Portable float maps.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(pfm) {
  static tamis::fuzz::InputFile file("input.pfm");
  file.put(bytes);
  tamis::fuzz::read_all(file.path());
}
