// NIfTI files.
#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

TAMIS_FUZZ_TARGET(nifti) {
  static tamis::fuzz::InputFile file("input.nii");
  file.put(bytes);
  tamis::fuzz::read_medical(file.path());
}
