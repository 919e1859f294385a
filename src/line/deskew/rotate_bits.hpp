// Packed bits as bytes 0 and 255, and back.
#pragma once

#include <tamis/image.hpp>

namespace tamis::line_detail {

[[nodiscard]] Image bytes_of(const Image& bits);
/// Bytes of 128 and more are set.
[[nodiscard]] Image bits_of(const Image& bytes);

}  // namespace tamis::line_detail
