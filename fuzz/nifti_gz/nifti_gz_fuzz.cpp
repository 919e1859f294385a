// NIfTI files within gzip.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(nifti_gz) {
  static tamis::fuzz::InputFile file("input.nii.gz");
  file.put(bytes);
  tamis::fuzz::read_medical(file.path());
}
