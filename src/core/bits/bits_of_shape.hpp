// Packed bits that go with an image: its domain, an inlet.
#pragma once

#include <string_view>

#include <tamis/image.hpp>

namespace tamis::detail {

/// Throws InputError "a domain of 4x4 u8; wanted bool and 5x5, or one slice of it" unless `bits` is Bool, of that shape
/// or, for all slices of it, one. Bits that are not there are none to complain of.
void require_bits(const Image& bits, const Shape& shape, std::string_view what);

}  // namespace tamis::detail
