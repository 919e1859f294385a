// Erosion, dilation, opening and closing along traced lines on the CPU.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "line/traced/lines.hpp"

namespace tamis::line_detail::cpu {

/// U8, U16, I16, F32 (without NaN; -0 is below +0) and Bool images; slice by slice on volumes. `out` is another image
/// of the same type and shape. Advances the stage by the image's samples. Time O(samples), whatever the length.
void traced(const Context& context, Along what, const TracedSegment& segment, const Image& in, Image& out,
            Stage& stage);

}  // namespace tamis::line_detail::cpu
