// Packed bits as bytes, by vectors and without.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <tamis/error.hpp>

#include "core/bits/bits.hpp"

namespace tamis {
namespace {

TEST(UnpackBits, every_length_and_value_and_nothing_behind_them) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> bits(5);
  for (std::uint64_t& word : bits) word = random();
  for (std::int64_t count = 0; count <= 300; ++count) {
    for (const std::uint8_t one : {1, 255, 7}) {
      std::vector<std::byte> wanted(static_cast<std::size_t>(count) + 64, std::byte{99});
      for (std::int64_t i = 0; i < count; ++i) {
        const bool set = (bits[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1) != 0;
        wanted[static_cast<std::size_t>(i)] = set ? std::byte{one} : std::byte{0};
      }
      std::vector<std::byte> got(wanted.size(), std::byte{99});
      spread_bits(bits.data(), 0, count, one, got.data());
      ASSERT_EQ(got, wanted) << count;
      for (const Simd simd : {Simd::Portable, Simd::Avx2, Simd::Avx512}) {
        std::vector<std::byte> by_vectors(wanted.size(), std::byte{99});
        try {
          unpack_bits(simd, bits.data(), count, one, by_vectors.data());
        } catch (const ResourceError&) {
          continue;  // not on this machine
        }
        ASSERT_EQ(by_vectors, wanted) << count << " " << static_cast<int>(simd);
      }
    }
  }
}

TEST(PackBits, the_highest_bit_of_every_byte_and_zeros_behind_them) {
  std::mt19937 random(6);
  for (std::int64_t count = 0; count <= 300; ++count) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    std::vector<std::uint64_t> wanted(static_cast<std::size_t>((count + 63) / 64));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      wanted[i / 64] |= std::to_integer<std::uint64_t>(bytes[i] >> 7) << (i % 64);
    }
    wanted.push_back(77);  // stays
    for (const Simd simd : {Simd::Portable, Simd::Avx2, Simd::Avx512}) {
      std::vector<std::uint64_t> got(wanted.size(), 77);
      try {
        pack_bits(simd, bytes.data(), count, got.data());
      } catch (const ResourceError&) {
        continue;  // not on this machine
      }
      ASSERT_EQ(got, wanted) << count << " " << static_cast<int>(simd);
    }
  }
}

TEST(PackBits, images_come_back) {
  Image bits(Type::Bool, {3, 5, 131, 3});
  for (std::int64_t i = 0; i < 3 * 5 * 131; i += 3) {
    bits.row<std::uint64_t>(i / 655, i / 131 % 5)[i % 131 / 64] |= std::uint64_t{1} << (i % 131 % 64);
  }
  const Image again = packed_bits({}, unpacked_bits({}, bits, 255));
  for (std::int64_t y = 0; y < 15; ++y) {
    for (int w = 0; w < 3; ++w) EXPECT_EQ(again.row<std::uint64_t>(y / 5, y % 5)[w], bits.row<std::uint64_t>(y / 5, y % 5)[w]);
  }
}

}  // namespace
}  // namespace tamis
