// Packed bits: what goes with an image, how many are set, and bits as bytes and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis::detail {

/// Throws InputError "a domain of 4x4 u8; wanted bool and 5x5, or one slice of it" unless `bits` is Bool, of that shape
/// or, for all slices of it, one. Bits that are not there are none to complain of.
void require_bits(const Image& bits, const Shape& shape, std::string_view what);

}  // namespace tamis::detail

namespace tamis {

// How many bits are set.

/// Ones in `count` words. The compiler's own popcount is a table look-up on the oldest processors we build for.
std::int64_t count_ones(Simd simd, const std::uint64_t* words, std::int64_t count);

// Packed bits as bytes, and bytes as packed bits.

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

// Packed bits as bytes, eight at a time, for whoever does without vectors.

/// Byte i of the result is bit i of `bits`, below 256: copies of all eight bits, of which each byte keeps its own,
/// moved to bit 0. The first byte is the lowest, on this machine the first in memory.
constexpr std::uint64_t spread_bits(std::uint64_t bits) {
  const std::uint64_t own = (bits * 0x0101010101010101U) & 0x8040201008040201U;
  // Adding 127 carries into bit 7 of a byte exactly if the byte is not 0 (bit 7 of the last byte is its own).
  return (((own & 0x7f7f7f7f7f7f7f7fU) + 0x7f7f7f7f7f7f7f7fU) | own) >> 7 & 0x0101010101010101U;
}

/// Bytes begin ... end - 1 of `out` become `one` where the bit is set, otherwise 0; `begin` is a multiple of 8.
inline void spread_bits(const std::uint64_t* bits, std::int64_t begin, std::int64_t end, std::uint8_t one,
                        std::byte* out) {
  std::int64_t i = begin;
  for (; i + 8 <= end; i += 8) {
    const std::uint64_t bytes = spread_bits(bits[i / 64] >> (i % 64) & 0xffU) * one;
    std::memcpy(out + i, &bytes, sizeof bytes);
  }
  for (; i < end; ++i) out[i] = (bits[i / 64] >> (i % 64) & 1U) != 0 ? std::byte{one} : std::byte{0};
}

}  // namespace tamis
