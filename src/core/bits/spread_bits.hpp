// Packed bits as bytes, eight at a time, for whoever does without vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tamis {

/// Byte i of the result is bit i of `bits`, below 256: copies of all eight bits, of which each byte keeps its own, moved
/// to bit 0. The first byte is the lowest, on this machine the first in memory.
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
