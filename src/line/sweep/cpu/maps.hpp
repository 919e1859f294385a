// What a sweep over angles comes to at each sample.
#pragma once

#include <string>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/orientation.hpp>

#include "line/sweep/sweep.hpp"

namespace tamis::line_detail::cpu {

/// Bits as bytes 0 and 255, the ends of U8, which border fit shows; and back.
[[nodiscard]] Image bytes_of_bits(const Context& context, const Image& bits);
[[nodiscard]] Image bits_of_bytes(const Context& context, const Image& bytes);

/// "x 3, y 2" of the first sample that is NaN or infinite; empty if none is.
[[nodiscard]] std::string first_not_finite(const Context& context, const Image& image);

/// Takes the images out of the sweep: its angles become degrees, its worst the contrast.
void take_maps(const Context& context, SweepResult& sweep, Orientation& result);

}  // namespace tamis::line_detail::cpu
