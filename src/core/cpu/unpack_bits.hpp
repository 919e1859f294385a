// Packed bits as bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tamis/context.hpp>

namespace tamis {

/// Byte i of `out` becomes `one` where bit i of `bits` is set, otherwise 0. Only `count` bytes are written.
void unpack_bits(Simd simd, const std::uint64_t* bits, std::int64_t count, std::uint8_t one, std::byte* out);

}  // namespace tamis
