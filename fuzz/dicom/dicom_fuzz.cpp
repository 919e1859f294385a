// DICOM files: our own walk through the elements, which stands in front of GDCM.
#include "fuzz/input_file.hpp"
#include "io/itk/dicom_check.hpp"

TAMIS_FUZZ_TARGET(dicom) {
  static tamis::fuzz::InputFile file("input.dcm");
  file.put(bytes);
  static_cast<void>(tamis::io::check_dicom(file.path(), {}));
}
