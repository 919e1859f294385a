// MetaImage files with their samples in them.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(meta) {
  static tamis::fuzz::InputFile file("input.mha");
  file.put(bytes);
  tamis::fuzz::read_all(file.path());
}
