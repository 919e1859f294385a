// Windows bitmaps.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(bmp) {
  static tamis::fuzz::InputFile file("input.bmp");
  file.put(bytes);
  tamis::fuzz::read_all(file.path());
}
