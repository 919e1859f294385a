// JPEG files.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(jpeg) {
  static tamis::fuzz::InputFile file("input.jpg");
  file.put(bytes);
  tamis::fuzz::read_all(file.path());
}
