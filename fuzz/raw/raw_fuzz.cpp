// Headerless files, with whatever shape and type the caller says they have.
#include "fuzz/input_file.hpp"
#include "fuzz/raw_options.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(raw) {
  static tamis::fuzz::InputFile file("input.raw");
  const auto [options, samples] = tamis::fuzz::raw_options(bytes);
  file.put(samples);
  tamis::fuzz::read_all(file.path(), options);
}
