// NumPy files.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(npy) {
  static tamis::fuzz::InputFile file("input.npy");
  file.put(bytes);
  tamis::fuzz::read_all(file.path());
}
