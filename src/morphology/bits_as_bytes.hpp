// Small images of bits that somebody has as bytes of 0 and 1.
#pragma once

#include <tamis/morphology.hpp>

namespace tamis::morphology_detail {

/// Whether bytes of 0 and 1 go through the filter faster as they are than packed to bits, and give the same: packing
/// pays where there is much to do, and a row of a small image is a few words, each step of which costs a call.
[[nodiscard]] bool better_as_bytes(Operation operation, const MorphologyOptions& options, const Shape& shape);

}  // namespace tamis::morphology_detail
