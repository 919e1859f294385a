// Balls of bits by distance against the way through rows, which a small memory limit leaves.
#include <tamis/morphology.hpp>

#include <gtest/gtest.h>

#include <cstring>

#include "core/test/scale.hpp"
#include "distance/test/testing.hpp"
#include "morphology/run.hpp"

namespace tamis {
namespace {

using distance_testing::random_object;
using morphology_detail::goes_by_distance;

constexpr Operation operations[] = {Operation::Erode, Operation::Dilate, Operation::Open, Operation::Close};

void expect_same(const Image& image, const MorphologyOptions& options) {
  Context by_rows;
  by_rows.memory_bytes = std::int64_t{32} << 20;
  for (const Operation operation : operations) {
    SCOPED_TRACE(std::string(name(operation)) + " " + options.element.spec() + " of " + to_string(image.shape()));
    ASSERT_TRUE(goes_by_distance({}, operation, image, options));
    ASSERT_FALSE(goes_by_distance(by_rows, operation, image, options));
    const Image expected = morphology(by_rows, operation, image, options);
    const Image found = morphology({}, operation, image, options);
    EXPECT_EQ(found.spacing, image.spacing);
    ASSERT_EQ(std::memcmp(found.data(), expected.data(), static_cast<std::size_t>(expected.bytes())), 0);
  }
}

TEST(ByDistance, balls_are_those_of_rows) {
  Sampled some(11, 3);
  for (const Shape& shape : {Shape{1, 1, 1, 3}, Shape{9, 20, 65, 3}, Shape{30, 31, 64, 3}, Shape{2, 3, 130, 3}})
    for (const char* const element : {"ball:5", "ball:5.5", "ball:6", "ball:9.7", "ball:40"})
      for (const double background : {0.0, 0.001, 0.02, 0.98, 0.999, 1.0}) {
        if (some.skips()) continue;
        Image image = random_object(shape, background, 7);
        image.spacing = {3, 1, 2, "um"};  // elements count in voxels
        expect_same(image, {.element = element});
      }
}

TEST(ByDistance, radii_whose_squares_take_more_than_16_bits) {
  Image image = random_object({2, 3, 700, 3}, 0, 1);
  distance_testing::clear_bit(image, 0, 0, 0);
  for (const char* const element : {"ball:254", "ball:256", "ball:300"}) expect_same(image, {.element = element});
  expect_same(random_object({2, 3, 700, 3}, 0, 1), {.element = "ball:300"});
}

TEST(ByDistance, is_for_balls_of_bits_without_a_border) {
  const Image image = random_object({20, 20, 20, 3}, 0.1, 1);
  const auto goes = [&](const MorphologyOptions& options) {
    return goes_by_distance({}, Operation::Erode, image, options);
  };
  EXPECT_TRUE(goes({.element = "ball:5"}));
  EXPECT_FALSE(goes({.element = "ball:3"}));
  EXPECT_FALSE(goes({.element = "cube:11"}));
  EXPECT_FALSE(goes({.element = "cross:9"}));
  EXPECT_FALSE(goes({.element = "disk:9"}));
  EXPECT_FALSE(goes({.element = "ball:5+ball:5"}));
  EXPECT_FALSE(goes({.element = "shift(ball:5,1,0,0)"}));
  EXPECT_FALSE(goes({.element = "ball:5", .border = Border::reflect()}));
  EXPECT_FALSE(goes({.element = "ball:5", .iterations = 2}));
  EXPECT_FALSE(goes_by_distance({}, Operation::Gradient, image, {.element = "ball:5"}));
  EXPECT_FALSE(goes_by_distance({}, Operation::Erode, Image(Type::U8, {9, 9, 9, 3}), {.element = "ball:5"}));
}

}  // namespace
}  // namespace tamis
