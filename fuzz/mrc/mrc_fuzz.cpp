// Volumes of electron microscopes.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(mrc) {
  static tamis::fuzz::InputFile file("input.mrc");
  file.put(bytes);
  tamis::fuzz::read_all(file.path());
}
