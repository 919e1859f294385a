// NIfTI files within gzip.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(nifti_gz) {
  static tamis::fuzz::InputFile file("input.nii.gz");
  file.put(bytes);
  tamis::ReadOptions options;
  options.time = bytes.size() % 8 == 0 ? 1 : 0;
  tamis::fuzz::read_all(file.path(), options);
}
