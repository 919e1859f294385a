// PNG files.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(png) {
  static tamis::fuzz::InputFile file("input.png");
  file.put(bytes);
  tamis::fuzz::read_all(file.path());
}
