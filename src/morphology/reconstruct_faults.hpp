// What marker and mask of a reconstruction have to be, wherever they lie.
#pragma once

#include <tamis/morphology.hpp>

#include "morphology/reconstruct_cells.hpp"

namespace tamis::morphology_detail {

/// Throws InputError unless both have one shape and one type, which filters take.
void require_pair(Type marker, const Shape& marker_shape, Type mask, const Shape& mask_shape);

/// What the options say, for the engines. Throws InputError for enumerators that are none.
[[nodiscard]] ReconstructForm form_of(const ReconstructOptions& options, bool clip_marker);

/// Throws InputError with the first place if there are faults.
void refuse_faults(const ReconstructFaults& faults, const Shape& shape, const ReconstructForm& form);

}  // namespace tamis::morphology_detail
