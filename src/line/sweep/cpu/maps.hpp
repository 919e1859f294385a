// What a sweep over angles comes to at each sample.
#pragma once

#include <string>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/orientation.hpp>

#include "line/sweep/sweep.hpp"

namespace tamis::line_detail::cpu {

/// "x 3, y 2" of the first sample that is NaN or infinite; empty if none is.
[[nodiscard]] std::string first_not_finite(const Context& context, const Image& image);

/// Takes the images out of the sweep: its angles become degrees, its worst the contrast.
void take_maps(const Context& context, SweepResult& sweep, Orientation& result);

}  // namespace tamis::line_detail::cpu
