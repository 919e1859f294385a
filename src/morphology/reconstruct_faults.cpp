#include "morphology/reconstruct_cells.hpp"

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/door.hpp"
#include "core/place.hpp"

namespace tamis::morphology_detail {

void require_pair(Type marker, const Shape& marker_shape, Type mask, const Shape& mask_shape) {
  if (marker != mask || !(marker_shape == mask_shape)) {
    throw InputError(fmt::format("reconstruct: marker {} {}, mask {} {}; wanted one type and shape",
                                 to_string(marker_shape), name(marker), to_string(mask_shape), name(mask)));
  }
  if (marker > Type::F32 && marker != Type::U32 && marker != Type::U64) {
    throw InputError(fmt::format(
        "reconstruct of {} images; wanted bool, u8, u16, u32, u64, i16 or f32: convert them first", name(marker)));
  }
}

ReconstructForm form_of(const ReconstructOptions& options, bool clip_marker) {
  door::require_known(options.by, ReconstructOptions::By::Erosion, "by");
  door::require_known(options.connectivity, Connectivity::Full, "connectivity");
  ReconstructForm form;
  form.turned = options.by == ReconstructOptions::By::Erosion;
  form.full = options.connectivity == Connectivity::Full;
  form.clip_marker = clip_marker;
  return form;
}

void refuse_faults(const ReconstructFaults& faults, const Shape& shape, const ReconstructForm& form) {
  if (faults.nan != ReconstructFaults::none) {
    throw InputError(fmt::format("reconstruct: NaN at {}; wanted numbers", place_of(shape, faults.nan)));
  }
  if (faults.above == ReconstructFaults::none) return;
  throw InputError(fmt::format("reconstruct by {}: the marker is {} the mask at {}; wanted it {} everywhere",
                               form.turned ? "erosion" : "dilation", form.turned ? "below" : "above",
                               place_of(shape, faults.above), form.turned ? "above or equal" : "below or equal"));
}

}  // namespace tamis::morphology_detail
