#include "median/plan/gpu_tiles.hpp"

#include <gtest/gtest.h>

namespace tamis::median_detail {
namespace {

std::optional<GpuBucketTile> tile_of(const Offset& reach, const Shape& shape) {
  const OffsetSet window(OffsetBox{{0, 0, 0}, reach});
  return choose_gpu_bucket_tile(window, edges_of(window).changes(), shape);
}

TEST(GpuBucketTile, tiles_cover_the_image_and_places_what_they_see) {
  for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{1, 1, 5000, 2}, Shape{1, 5000, 1, 2}, Shape{3, 700, 900, 2},
                             Shape{90, 80, 70, 3}, Shape{1, 16384, 16384, 2}}) {
    for (const Offset& reach : {Offset{0, 130, 130}, Offset{0, 0, 16000}, Offset{0, 3000, 2000}, Offset{26, 26, 26}}) {
      const auto tile = tile_of(reach, shape);
      ASSERT_TRUE(tile);
      EXPECT_GE(tile->across * tile->wide, shape.x);
      EXPECT_GE(tile->down * tile->tall, shape.y);
      EXPECT_GE(tile->far * tile->deep, shape.z);
      EXPECT_EQ(0, tile->wide % 32);
      EXPECT_EQ(tile->wide + reach.x, tile->seen_x);
      EXPECT_EQ(tile->tall + reach.y, tile->seen_y);
      EXPECT_EQ(tile->deep + reach.z, tile->seen_z);
      EXPECT_GE(std::int64_t{1} << tile->x_bits, tile->seen_x);
      EXPECT_GE(std::int64_t{1} << tile->y_bits, tile->seen_y);
      EXPECT_GE(std::int64_t{1} << (tile->place_bits - tile->x_bits - tile->y_bits), tile->seen_z);
      EXPECT_LE(tile->place_bits, 32);
      EXPECT_EQ(std::int64_t{tile->seen_x} * tile->seen_y * tile->seen_z, tile->count);
    }
  }
}

TEST(GpuBucketTile, windows_of_more_places_than_32_bits_have_none) {
  EXPECT_FALSE(tile_of({2000, 2000, 2000}, {100, 100, 100, 3}));
  EXPECT_TRUE(tile_of({500, 500, 500}, {100, 100, 100, 3}));
}

}  // namespace
}  // namespace tamis::median_detail
