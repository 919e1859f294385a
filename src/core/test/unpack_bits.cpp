// Packed bits as bytes, by vectors and without.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <tamis/error.hpp>

#include "core/cpu/unpack_bits.hpp"
#include "core/spread_bits.hpp"

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
        } catch (const EnvironmentError&) {
          continue;  // not on this machine
        }
        ASSERT_EQ(by_vectors, wanted) << count << " " << static_cast<int>(simd);
      }
    }
  }
}

}  // namespace
}  // namespace tamis
