// JPEG files.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"
#include "io/confined/decoder.hpp"

TAMIS_FUZZ_TARGET(jpeg) {
  static tamis::fuzz::InputFile file("input.jpg");
  file.put(bytes);
  tamis::fuzz::read_decoded(file.path(), [](const auto& path) { return tamis::io::open_jpeg(path); });
}
