// Packed bits as bytes, and bytes as packed bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis {

/// Byte i of `out` becomes `one` where bit i of `bits` is set, otherwise 0. Only `count` bytes are written.
void unpack_bits(Simd simd, const std::uint64_t* bits, std::int64_t count, std::uint8_t one, std::byte* out);

/// Bit i of `bits` becomes the highest bit of byte i: it is set from 128 on. The unused bits of the last word become 0.
void pack_bits(Simd simd, const std::byte* bytes, std::int64_t count, std::uint64_t* bits);

/// The same of bytes that are not 0.
void pack_not_zero(Simd simd, const std::byte* bytes, std::int64_t count, std::uint64_t* bits);

/// Whether no byte is anything else.
[[nodiscard]] bool are_zero_or_one(const std::byte* bytes, std::int64_t count);
/// The same; all threads of the context look.
[[nodiscard]] bool are_zero_or_one(const Context& context, const std::byte* bytes, std::int64_t count);

/// A Bool image as one of bytes, `one` where it is true; rows by all threads of the context.
[[nodiscard]] Image unpacked_bits(const Context& context, const Image& bits, std::uint8_t one);
/// U8 samples of 128 and more are true. `bits` has their shape.
void pack_bits(const Context& context, const Image& bytes, Image& bits);
[[nodiscard]] Image packed_bits(const Context& context, const Image& bytes);

}  // namespace tamis
