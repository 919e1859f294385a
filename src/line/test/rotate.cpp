#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include <tamis/deskew.hpp>
#include <tamis/error.hpp>

#include "core/test/guarded_memory.hpp"
#include "core/visit_type.hpp"
#include "line/test/deskew_testing.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using deskew_testing::noise;

constexpr std::array types{Type::Bool, Type::U8, Type::U16, Type::I16, Type::F32};

double value_at(const Image& image, std::int64_t z, std::int64_t y, std::int64_t x) {
  if (image.type() == Type::Bool) return image.bit(z, y, x) ? 1 : 0;
  double value = 0;
  visit_type(image.type(), [&](auto sample) { value = static_cast<double>(image.row<decltype(sample)>(z, y)[x]); });
  return value;
}

/// Random samples of the whole range of a type (F32: -1 to 1).
Image random(Type type, const Shape& shape) {
  Image image(type, shape);
  std::uint32_t state = 3;
  for (std::int64_t row = 0; row < shape.z * shape.y; ++row) {
    for (std::int64_t x = 0; x < shape.x; ++x) {
      state = state * 1664525U + 1013904223U;
      if (type == Type::Bool) {
        image.row<std::uint64_t>(0, row)[x / 64] |= std::uint64_t{state >> 31U} << (x % 64);
        continue;
      }
      visit_type(type, [&](auto sample) {
        using Sample = decltype(sample);
        image.row<Sample>(0, row)[x] = std::is_floating_point_v<Sample> ? static_cast<Sample>(state / 2147483648.0 - 1)
                                                                        : static_cast<Sample>(state >> 16U);
      });
    }
  }
  return image;
}

double keys(double t) {
  t = std::abs(t);
  if (t < 1) return 1.5 * t * t * t - 2.5 * t * t + 1;
  return t < 2 ? -0.5 * t * t * t + 2.5 * t * t - 4 * t + 2 : 0;
}

/// Straight from the definition, in doubles, before it is rounded.
double naive(const Image& image, double degrees, double fill, const Shape& to, std::int64_t z, std::int64_t y,
             std::int64_t x) {
  const double angle = degrees * std::numbers::pi / 180;
  const double u = static_cast<double>(x) - static_cast<double>(to.x - 1) / 2;
  const double v = static_cast<double>(y) - static_cast<double>(to.y - 1) / 2;
  const double from_x = static_cast<double>(image.shape().x - 1) / 2 + u * std::cos(angle) - v * std::sin(angle);
  const double from_y = static_cast<double>(image.shape().y - 1) / 2 + u * std::sin(angle) + v * std::cos(angle);
  double sum = 0;
  for (auto i = static_cast<std::int64_t>(std::floor(from_y)) - 2; i <= std::floor(from_y) + 3; ++i) {
    for (auto j = static_cast<std::int64_t>(std::floor(from_x)) - 2; j <= std::floor(from_x) + 3; ++j) {
      const bool inside = i >= 0 && i < image.shape().y && j >= 0 && j < image.shape().x;
      const double weight = keys(from_y - static_cast<double>(i)) * keys(from_x - static_cast<double>(j));
      sum += weight * (inside ? value_at(image, z, i, j) : fill);
    }
  }
  return sum;
}

TEST(Rotate, every_type_is_the_definition_rounded_and_clamped) {
  const Shape shape{2, 19, 70, 3};
  for (const Type type : types) {
    const Image image = random(type, shape);
    const double fill = type == Type::U16 ? 40000 : 1;
    for (const double degrees : {0.0, 3.3, -14.2, 45.0, 90.0, 133.0, 180.0, -777.7}) {
      Shape to = rotated_shape(shape, degrees);
      const Image turned = rotate({}, image, degrees, {fill, to});
      ASSERT_EQ(turned.shape(), to);
      for (std::int64_t i = 0; i < to.count(); ++i) {
        const std::int64_t z = i / (to.y * to.x), y = i / to.x % to.y, x = i % to.x;
        double expected = naive(image, degrees, fill, to, z, y, x);
        const double got = value_at(turned, z, y, x);
        if (type == Type::Bool) {
          if (std::abs(expected - 0.5) > 0.01) {
            ASSERT_EQ(got, expected > 0.5 ? 1 : 0) << degrees;
          }
          continue;
        }
        double tolerance = 1e-4;
        if (type != Type::F32) {
          const double low = type == Type::I16 ? -32768 : 0;
          const double high = type == Type::U8 ? 255 : type == Type::U16 ? 65535 : 32767;
          expected = std::clamp(expected, low, high);
          tolerance = type == Type::U8 ? 0.501 : 0.6;
        }
        ASSERT_NEAR(got, expected, tolerance) << name(type) << " " << degrees << " at " << x << "," << y << "," << z;
      }
    }
  }
}

TEST(Rotate, every_instruction_set_gives_the_same_and_keeps_to_the_samples) {
  for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
    for (const Shape& shape : {Shape{1, 90, 151, 2}, Shape{3, 37, 64, 3}, Shape{1, 3, 200, 2}, Shape{1, 2, 2, 2}}) {
      const Image image = random(type, shape);
      const GuardedMemory from_memory(image.bytes());
      Image from = from_memory.image(type, shape);
      std::memcpy(from.data(), image.data(), static_cast<std::size_t>(image.bytes()));
      for (const double degrees : {0.0, 0.01, 7.0, -31.0, 45.0, 90.0, 123.4, 180.0, 270.0, 359.0}) {
        Context context;
        context.simd = Simd::Portable;
        const Image wanted = rotate(context, image, degrees);
        const GuardedMemory to_memory(image.bytes());
        Image to = to_memory.image(type, shape);
        for (const Context& vectors : morphology_testing::instruction_sets()) {
          rotate(vectors, from, degrees, {}, to);
          ASSERT_EQ(std::memcmp(to.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0)
              << name(type) << " " << to_string(shape) << " " << degrees << " " << vectors.describe();
        }
      }
    }
  }
}

TEST(Rotate, right_angles_move_samples_and_change_none) {
  const Image image = noise(40, 30);
  const Image turned = rotate({}, image, 90, {0, Shape{1, 40, 30, 2}});
  for (std::int64_t y = 0; y < 30; ++y) {
    for (std::int64_t x = 0; x < 40; ++x) {  // counter-clockwise: the right edge goes to the top
      ASSERT_EQ(turned.row<std::uint8_t>(0, 39 - x)[y], image.row<std::uint8_t>(0, y)[x]);
    }
  }
  const Image same = rotate({}, image, 0);
  EXPECT_TRUE(std::equal(image.data(), image.data() + image.bytes(), same.data()));
}

TEST(Rotate, expanded_shapes_hold_the_corners) {
  EXPECT_EQ(rotated_shape({1, 300, 400, 2}, 0), (Shape{1, 300, 400, 2}));
  EXPECT_EQ(rotated_shape({1, 300, 400, 2}, 90), (Shape{1, 400, 300, 2}));
  EXPECT_EQ(rotated_shape({1, 300, 400, 2}, -180), (Shape{1, 300, 400, 2}));
  EXPECT_EQ(rotated_shape({5, 300, 400, 3}, 30), (Shape{5, 460, 497, 3}));
}

TEST(Rotate, what_lies_outside_is_the_fill) {
  const Image image = noise(40, 30);
  const Image turned = rotate({}, image, 45, {77, Shape{1, 200, 200, 2}});
  EXPECT_EQ(turned.row<std::uint8_t>(0, 0)[0], 77);
  EXPECT_EQ(turned.row<std::uint8_t>(0, 199)[120], 77);
}

TEST(Rotate, the_spacing_stays) {
  Image image = noise(8, 8);
  image.spacing = {1, 2, 2, "um"};
  EXPECT_EQ(rotate({}, image, 5).spacing, image.spacing);
}

TEST(Rotate, what_cannot_be_done_is_refused) {
  const auto refused = [](const Image& image, double degrees, double fill) {
    EXPECT_THROW(static_cast<void>(rotate({}, image, degrees, {fill, {}})), InputError);
  };
  const Image image = noise(8, 8);
  refused({}, 3, 0);
  refused(image, std::numeric_limits<double>::quiet_NaN(), 0);
  refused(image, std::numeric_limits<double>::infinity(), 0);
  refused(image, 3, 256);
  refused(image, 3, -1);
  refused(image, 3, 1.5);
  refused(Image(Type::F64, {1, 3, 3, 2}), 3, 0);
  refused(Image(Type::Bool, {1, 3, 3, 2}), 3, 2);
}

}  // namespace
}  // namespace tamis
