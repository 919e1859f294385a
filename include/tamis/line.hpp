// Openings along traced lines: P. Karas et al., "GPU implementation of linear morphological openings with arbitrary
// angle", J. Real-Time Image Proc. (2015).
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

namespace TAMIS_PUBLIC tamis {

/// Opening by `length` samples along the traced lines (Lines::Traced) at `angle` degrees, on volumes slice by slice: the
/// same as open() with element line:length@angle. All types of morphology, without NaN. Borders neutral and fit. Throws
/// InputError for a length below 1, an angle that is no number, other borders and types.
[[nodiscard]] Image traced_opening(const Context& context, const Image& image, std::int64_t length, double angle,
                                   const Border& border = {});
/// The same into `out`, whose memory is used again if type and shape fit. `out` must not be `image`.
void traced_opening(const Context& context, const Image& image, std::int64_t length, double angle, const Border& border,
                    Image& out);

}  // namespace tamis
