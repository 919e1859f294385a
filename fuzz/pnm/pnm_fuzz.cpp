// PGM, PBM and PPM, as text and binary.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(pnm) {
  static tamis::fuzz::InputFile file("input.pnm");
  file.put(bytes);
  tamis::fuzz::read_all(file.path());
}
