// Bool images as bytes and back: along slanted lines bits do not come in words.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis::line_detail::cpu {

/// U8: 0 and 255.
[[nodiscard]] Image unpacked_bits(const Context& context, const Image& bits);
void pack_bits(const Context& context, const Image& bytes, Image& bits);

}  // namespace tamis::line_detail::cpu
