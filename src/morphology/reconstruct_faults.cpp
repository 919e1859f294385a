#include "morphology/reconstruct_faults.hpp"

#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <tamis/error.hpp>

namespace tamis::morphology_detail {
namespace {

std::string position(std::int64_t index, const Shape& shape) {
  return fmt::format("x {}, y {}, z {}", index % shape.x, index / shape.x % shape.y, index / shape.x / shape.y);
}

}  // namespace

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

void refuse_faults(const ReconstructFaults& faults, const Shape& shape, const ReconstructForm& form) {
  if (faults.nan != ReconstructFaults::none) {
    throw InputError(fmt::format("reconstruct: NaN at {}; wanted numbers", position(faults.nan, shape)));
  }
  if (faults.above == ReconstructFaults::none) return;
  throw InputError(fmt::format("reconstruct by {}: the marker is {} the mask at {}; wanted it {} everywhere",
                               form.turned ? "erosion" : "dilation", form.turned ? "below" : "above",
                               position(faults.above, shape), form.turned ? "above or equal" : "below or equal"));
}

}  // namespace tamis::morphology_detail
