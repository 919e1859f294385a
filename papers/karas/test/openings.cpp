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

line_testing::TracedOpening by(Algorithm algorithm) {
  return {std::string(name(algorithm)),
          [algorithm](const Image& image, std::int64_t length, double angle, const Border& border) {
            return opening({}, image, length, angle, algorithm, border);
          }};
}

TEST(KarasOpenings, every_one_is_the_definition_at_all_lengths_and_angles) {
  for (const Algorithm algorithm : any_angle) by(algorithm).expect_all_lengths_and_angles();
}

TEST(KarasOpenings, every_type_and_shape) {
  for (const Algorithm algorithm : any_angle) by(algorithm).expect_every_type_and_shape();
}

TEST(KarasOpenings, plateaus_and_ramps) {
  for (const Algorithm algorithm : any_angle) by(algorithm).expect_plateaus_and_ramps();
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
            ASSERT_NO_FATAL_FAILURE(by(Algorithm::Anchor).expect_definition(noise, length, angle, fit));
          }
        }
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
