// Floats of every kind through keys and through networks, and NaN that is found on the way.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <tamis/error.hpp>

#include "median/cpu/keys.hpp"
#include "median/test/testing.hpp"

namespace tamis {
namespace {

using namespace median_detail;
using namespace median_testing;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::array special{-infinity, infinity, -0.0F, 0.0F, -1.5F, 1e-44F, -1e-44F, 3e38F, -3e38F};

std::vector<float> special_floats(std::size_t count) {
  std::mt19937 random(3);
  std::vector<float> samples(count);
  for (float& sample : samples) sample = special[random() % special.size()];
  return samples;
}

TEST(MedianFloats, keys_made_on_vectors_are_the_same_and_give_the_floats_back) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Context& context : morphology_testing::instruction_sets()) {
    for (const std::size_t count : {1U, 3U, 15U, 16U, 17U, 100U}) {
      std::vector<float> samples = special_floats(count);
      std::vector<std::uint32_t> keys(count);
      EXPECT_FALSE(cpu::keys_of_floats(context.simd, samples.data(), static_cast<std::int64_t>(count), keys.data()));
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(keys[i], cpu::key_of(samples[i])) << context.describe();
      cpu::floats_of_keys(context.simd, keys.data(), static_cast<std::int64_t>(count));
      EXPECT_EQ(0, std::memcmp(keys.data(), samples.data(), count * sizeof(float))) << context.describe();
      for (const std::size_t at : {std::size_t{0}, count / 2, count - 1}) {
        samples = special_floats(count);
        samples[at] = at % 2 == 0 ? nan : -nan;
        EXPECT_TRUE(cpu::keys_of_floats(context.simd, samples.data(), static_cast<std::int64_t>(count), keys.data()));
        EXPECT_EQ(keys[at], cpu::absent<std::uint32_t>) << context.describe();
      }
    }
  }
}

TEST(MedianFloats, zeros_of_both_signs_and_infinities_are_as_defined) {
  const Shape shape{1, 13, 75, 2};
  Image image(Type::F32, shape);
  const std::vector<float> samples = special_floats(static_cast<std::size_t>(shape.y * shape.x));
  std::memcpy(image.data(), samples.data(), samples.size() * sizeof(float));
  for (const Context& context : morphology_testing::instruction_sets()) {
    for (const Border& border : {Border::reflect(), Border::nearest(), Border::constant(-0.0), Border::shrink()}) {
      for (const char* const window : {"square:3", "square:5"}) {
        const MedianOptions options{window, 50, 2, border, NanPolicy::Refuse};
        EXPECT_EQ(-1, first_difference(median(context, image, options), reference(image, options)))
            << to_text(options) << " " << context.describe();
      }
    }
  }
}

std::string refusal(const Context& context, const Image& image, const MedianOptions& options) {
  try {
    (void)median(context, image, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(MedianFloats, nan_is_refused_wherever_it_is) {
  constexpr std::int64_t nx = 71, ny = 10;
  for (const Context& context : morphology_testing::instruction_sets()) {
    for (const std::int64_t height : {std::int64_t{1}, std::int64_t{2}, ny}) {
      for (std::int64_t place = 0; place < height * nx; place += 1 + place % 3) {
        Image image = random_image(Type::F32, {1, height, nx, 2}, 5);
        const std::int64_t x = place % nx, y = place / nx;
        image.row<float>(0, y)[x] =
            std::copysign(std::numeric_limits<float>::quiet_NaN(), place % 2 == 0 ? 1.0F : -1.0F);
        for (const char* const window : {"square:1", "square:3", "shift(square:3,0,2)", "square:5", "disk:2"}) {
          const std::string text = refusal(context, image, {.window = window});
          EXPECT_NE(text.find("x " + std::to_string(x) + ", y " + std::to_string(y)), std::string::npos)
              << window << " " << text << " " << context.describe();
        }
      }
    }
  }
}

}  // namespace
}  // namespace tamis
