#include "papers/karas/cpu/openings.hpp"

#include <limits>
#include <random>

#include <tamis/error.hpp>

#include "line/test/traced_testing.hpp"

namespace tamis::karas::cpu {
namespace {

using namespace line_testing;
using morphology_testing::random_image;

constexpr Algorithm any_angle[] = {Algorithm::VanHerk, Algorithm::Morard, Algorithm::Bartovsky};

void expect_definition(Algorithm algorithm, const Image& image, std::int64_t length, double angle, bool fit) {
  const Border border = fit ? Border::fit() : Border::neutral();
  const Grid expected = wanted(grid_of(image), Along::Open, segment_of(length, angle, fit));
  const Grid got = grid_of(opening({}, image, length, angle, algorithm, border));
  ASSERT_EQ(first_difference(got, expected), -1)
      << name(algorithm) << " length " << length << " angle " << angle << " fit " << fit << " of "
      << to_string(image.shape()) << " " << name(image.type());
}

TEST(KarasOpenings, every_one_is_the_definition_at_all_lengths_and_angles) {
  const Image noise = random_image(Type::U8, {1, 15, 19, 2}, 1);
  const int step = small_scale() ? 7 : 1;
  for (int half_degrees = 0; half_degrees < 360; half_degrees += step) {
    for (std::int64_t length = 1; length <= 64; length += 1 + (half_degrees + length) % 5) {
      for (const Algorithm algorithm : any_angle) {
        const bool fit = (half_degrees + length) % 2 == 0;
        ASSERT_NO_FATAL_FAILURE(expect_definition(algorithm, noise, length, half_degrees / 2.0, fit));
      }
    }
  }
}

TEST(KarasOpenings, every_type_and_shape) {
  for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
    for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{1, 1, 90, 2}, Shape{1, 70, 1, 2}, Shape{2, 20, 31, 3}}) {
      const Image noise = random_image(type, shape, 2);
      for (const std::int64_t length : {1, 2, 3, 8, 19, 40, 200}) {
        for (const double angle : {0.0, 20.0, 45.0, 90.0, 100.25, 160.0}) {
          for (const Algorithm algorithm : any_angle) {
            for (const bool fit : {false, true}) {
              ASSERT_NO_FATAL_FAILURE(expect_definition(algorithm, noise, length, angle, fit));
            }
          }
        }
      }
    }
  }
}

TEST(KarasOpenings, anchors_along_rows_and_columns) {
  for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{1, 1, 90, 2}, Shape{1, 70, 1, 2}, Shape{1, 25, 41, 2}}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      Image noise = random_image(Type::U8, shape, seed);
      if (seed > 1) {  // plateaus
        for (std::int64_t i = 0; i < shape.count(); ++i) noise.row<std::uint8_t>(0, 0)[i] /= 60;
      }
      for (std::int64_t length = 1; length <= 64; ++length) {
        for (const double angle : {0.0, 90.0, 180.0}) {
          for (const bool fit : {false, true}) {
            ASSERT_NO_FATAL_FAILURE(expect_definition(Algorithm::Anchor, noise, length, angle, fit));
          }
        }
      }
    }
  }
}

TEST(KarasOpenings, plateaus_and_ramps) {
  for (const std::uint8_t levels : {2, 3, 5}) {
    Image image = random_image(Type::U8, {1, 30, 47, 2}, levels);
    for (std::int64_t i = 0; i < image.shape().count(); ++i) {
      std::uint8_t& value = image.row<std::uint8_t>(0, 0)[i];
      value = static_cast<std::uint8_t>(value % levels);
    }
    for (const std::int64_t length : {2, 3, 5, 9, 16}) {
      for (const Algorithm algorithm : any_angle) {
        ASSERT_NO_FATAL_FAILURE(expect_definition(algorithm, image, length, 30, length % 2 == 0));
        ASSERT_NO_FATAL_FAILURE(expect_definition(algorithm, ramp(Type::U8, {1, 30, 47, 2}), length, 110, false));
      }
    }
  }
}

TEST(KarasOpenings, refuse_what_they_cannot_do) {
  const Image bytes = random_image(Type::U8, {1, 8, 9, 2}, 3);
  const Image words = random_image(Type::U16, {1, 8, 9, 2}, 3);
  const Image bits = random_image(Type::Bool, {1, 8, 9, 2}, 3);
  EXPECT_THROW((void)opening({}, words, 3, 0, Algorithm::Anchor), InputError);
  EXPECT_THROW((void)opening({}, bytes, 3, 30, Algorithm::Anchor), InputError);
  EXPECT_THROW((void)opening({}, bits, 3, 30, Algorithm::Morard), InputError);
  for (const Algorithm algorithm : any_angle) {
    EXPECT_THROW((void)opening({}, bytes, 0, 0, algorithm), InputError);
    EXPECT_THROW((void)opening({}, bytes, 3, std::nan(""), algorithm), InputError);
    EXPECT_THROW((void)opening({}, bytes, 3, 0, algorithm, Border::reflect()), InputError);
    EXPECT_THROW((void)opening({}, Image(), 3, 0, algorithm), InputError);
  }
  Image odd(Type::F32, {1, 3, 3, 2});
  odd.row<float>(0, 1)[1] = std::numeric_limits<float>::quiet_NaN();
  for (const Algorithm algorithm : any_angle) {
    EXPECT_THROW((void)opening({}, odd, 3, 0, algorithm), InputError);
  }
}

}  // namespace
}  // namespace tamis::karas::cpu
