#include "line/deskew/rotate_bits.hpp"

namespace tamis::line_detail {

Image bytes_of(const Image& bits) {
  Image bytes(Type::U8, bits.shape(), bits.spacing);
  for (std::int64_t z = 0; z < bits.shape().z; ++z) {
    for (std::int64_t y = 0; y < bits.shape().y; ++y) {
      auto* const row = bytes.row<std::uint8_t>(z, y);
      for (std::int64_t x = 0; x < bits.shape().x; ++x) row[x] = bits.bit(z, y, x) ? 255 : 0;
    }
  }
  return bytes;
}

Image bits_of(const Image& bytes) {
  Image bits(Type::Bool, bytes.shape(), bytes.spacing);
  for (std::int64_t z = 0; z < bytes.shape().z; ++z) {
    for (std::int64_t y = 0; y < bytes.shape().y; ++y) {
      const auto* const row = bytes.row<std::uint8_t>(z, y);
      auto* const words = bits.row<std::uint64_t>(z, y);
      for (std::int64_t x = 0; x < bytes.shape().x; ++x) words[x / 64] |= std::uint64_t{row[x] >= 128} << (x % 64);
    }
  }
  return bits;
}

}  // namespace tamis::line_detail
