// The checksum of Castagnoli, which ends the index of a shard.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis::io {

inline constexpr std::size_t crc32c_bytes = 4;

[[nodiscard]] inline std::uint32_t crc32c(std::span<const std::byte> bytes) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      made[i] = i;
      for (int bit = 0; bit < 8; ++bit) made[i] = made[i] >> 1 ^ (made[i] & 1U ? 0x82F63B78U : 0U);
    }
    return made;
  }();
  std::uint32_t sum = ~0U;
  for (const std::byte byte : bytes) sum = sum >> 8 ^ table[(sum ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  return ~sum;
}

}  // namespace tamis::io
