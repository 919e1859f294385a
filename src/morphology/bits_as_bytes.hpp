// Images of bits that somebody has as bytes of 0 and 1.
#pragma once

#include <tamis/morphology.hpp>

namespace tamis::morphology_detail {

/// Whether bytes of 0 and 1 go through the filter faster as they are than packed to bits, and give the same: a short row
/// is a few words, each step of which costs a call, and boxes of bytes have kernels that take many rows at once.
[[nodiscard]] bool better_as_bytes(Operation operation, const MorphologyOptions& options, const Shape& shape);

}  // namespace tamis::morphology_detail
