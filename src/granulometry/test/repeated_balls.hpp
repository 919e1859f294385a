// Balls of a volume of more than 2^31 voxels, on whatever device.
#pragma once

#include <bit>
#include <cstring>

#include <gtest/gtest.h>
#include <tamis/balls.hpp>

#include "distance/test/repeated.hpp"

namespace tamis::ball_testing {

/// Squares of the large volume are those of the small one's tiles.
inline void expect_repeated(const Context& context, const distance_testing::Repeated& repeated, const Image& object) {
  Context cpu;
  cpu.device = Device::Cpu;
  Image wanted;
  const BallSizes small = ball_map(
      cpu, repeated.small(), {}, {},
      [&](const BallSizes&, Type type) { wanted = Image(type, repeated.small().shape()); },
      [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
        const std::int64_t slice = wanted.shape().y * wanted.row_bytes();
        std::memcpy(wanted.row<std::byte>(z0, 0), slices, static_cast<std::size_t>(count * slice));
      });
  ASSERT_EQ(wanted.type(), Type::U16);
  ASSERT_LT(small.largest_square, 400U);  // balls, and the distances they are made of, stay within a tile
  std::int64_t wrong = 0;
  const BallSizes sizes = ball_map(
      context, object, {}, {}, [](const BallSizes&, Type type) { ASSERT_EQ(type, Type::U16); },
      [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
        wrong += distance_testing::Repeated::wrong_rows(wanted, object.shape(),
                                                        reinterpret_cast<const std::uint16_t*>(slices), z0, count);
      });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(sizes.largest_square, small.largest_square);
  std::int64_t voxels = 0;
  const std::uint64_t* const words = object.row<std::uint64_t>(0, 0);
  for (std::int64_t i = 0; i < object.bytes() / 8; ++i) voxels += std::popcount(words[i]);
  EXPECT_EQ(sizes.sizes.volume.front(), voxels);
}

}  // namespace tamis::ball_testing
