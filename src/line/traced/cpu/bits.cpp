#include "line/traced/cpu/bits.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/cpu/parallel.hpp"

namespace tamis::line_detail::cpu {
namespace {

constexpr std::uint64_t ones = 0x0101010101010101;

/// Eight bits to eight bytes of 0 or 255: each bit is moved to a byte of its own, then fills it.
std::uint64_t spread(std::uint64_t bits) {
  const std::uint64_t each = bits * ones & 0x8040201008040201;
  return ((each + 0x7f7f7f7f7f7f7f7f) >> 7 & ones) * 255;
}

/// Eight bytes of 0 or 255 to eight bits.
std::uint64_t gather(std::uint64_t bytes) { return (bytes & ones) * 0x0102040810204080 >> 56; }

static_assert(std::endian::native == std::endian::little);

}  // namespace

Image unpacked_bits(const Context& context, const Image& bits) {
  Image bytes(Type::U8, bits.shape());
  const Shape& shape = bits.shape();
  parallel_for(context, shape.z, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const auto* const words = bits.row<std::uint64_t>(z, y);
      auto* const row = bytes.row<std::uint8_t>(z, y);
      for (std::int64_t x = 0; x < shape.x; x += 8) {
        const std::uint64_t eight = spread(words[x / 64] >> (x % 64) & 0xff);
        std::memcpy(row + x, &eight, static_cast<std::size_t>(std::min<std::int64_t>(8, shape.x - x)));
      }
    }
  });
  return bytes;
}

void pack_bits(const Context& context, const Image& bytes, Image& bits) {
  const Shape& shape = bits.shape();
  parallel_for(context, shape.z, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      auto* const words = bits.row<std::uint64_t>(z, y);
      const auto* const row = bytes.row<std::uint8_t>(z, y);
      std::fill_n(words, bits.row_bytes() / 8, 0);
      for (std::int64_t x = 0; x < shape.x; x += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, row + x, static_cast<std::size_t>(std::min<std::int64_t>(8, shape.x - x)));
        words[x / 64] |= gather(eight) << (x % 64);
      }
    }
  });
}

}  // namespace tamis::line_detail::cpu
