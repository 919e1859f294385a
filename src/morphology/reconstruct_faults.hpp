// What marker and mask of a reconstruction have to be, wherever they lie.
#pragma once

#include <tamis/image.hpp>

#include "morphology/reconstruct_cells.hpp"

namespace tamis::morphology_detail {

/// Throws InputError unless both have one shape and one type, which filters take.
void require_pair(Type marker, const Shape& marker_shape, Type mask, const Shape& mask_shape);

/// Throws InputError with the first place if there are faults.
void refuse_faults(const ReconstructFaults& faults, const Shape& shape, const ReconstructForm& form);

}  // namespace tamis::morphology_detail
