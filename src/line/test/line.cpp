#include <tamis/line.hpp>

#include <limits>
#include <random>

#include <tamis/error.hpp>

#include "line/test/traced_testing.hpp"

namespace tamis {
namespace {

using namespace line_testing;
using morphology_testing::random_image;

void expect_definition(const Image& image, std::int64_t length, double angle, bool fit) {
  const Border border = fit ? Border::fit() : Border::neutral();
  const Grid expected = wanted(grid_of(image), Along::Open, segment_of(length, angle, fit));
  const Grid got = grid_of(traced_opening({}, image, length, angle, border));
  ASSERT_EQ(first_difference(got, expected), -1) << "length " << length << " angle " << angle << " fit " << fit
                                                 << " of " << to_string(image.shape()) << " " << name(image.type());
}

TEST(TracedOpening, is_the_definition_at_all_lengths_and_angles) {
  const Image noise = random_image(Type::U8, {1, 15, 19, 2}, 1);
  const int step = small_scale() ? 7 : 1;
  for (int half_degrees = 0; half_degrees < 360; half_degrees += step) {
    for (std::int64_t length = 1; length <= 64; length += 1 + (half_degrees + length) % 5) {
      const bool fit = (half_degrees + length) % 2 == 0;
      ASSERT_NO_FATAL_FAILURE(expect_definition(noise, length, half_degrees / 2.0, fit));
    }
  }
}

TEST(TracedOpening, every_type_and_shape) {
  for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
    for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{1, 1, 90, 2}, Shape{1, 70, 1, 2}, Shape{2, 20, 31, 3}}) {
      const Image noise = random_image(type, shape, 2);
      for (const std::int64_t length : {1, 2, 3, 8, 19, 40, 200}) {
        for (const double angle : {0.0, 20.0, 45.0, 90.0, 100.25, 160.0}) {
          for (const bool fit : {false, true}) {
            ASSERT_NO_FATAL_FAILURE(expect_definition(noise, length, angle, fit));
          }
        }
      }
    }
  }
}

TEST(TracedOpening, plateaus_and_ramps) {
  for (const std::uint8_t levels : {2, 3, 5}) {
    Image image = random_image(Type::U8, {1, 30, 47, 2}, levels);
    for (std::int64_t i = 0; i < image.shape().count(); ++i) {
      std::uint8_t& value = image.row<std::uint8_t>(0, 0)[i];
      value = static_cast<std::uint8_t>(value % levels);
    }
    for (const std::int64_t length : {2, 3, 5, 9, 16}) {
      ASSERT_NO_FATAL_FAILURE(expect_definition(image, length, 30, length % 2 == 0));
      ASSERT_NO_FATAL_FAILURE(expect_definition(ramp(Type::U8, {1, 30, 47, 2}), length, 110, false));
    }
  }
}

TEST(TracedOpening, refuses_what_it_cannot_do) {
  const Image bytes = random_image(Type::U8, {1, 8, 9, 2}, 3);
  const Image words = random_image(Type::U16, {1, 8, 9, 2}, 3);
  const Image bits = random_image(Type::Bool, {1, 8, 9, 2}, 3);
  EXPECT_THROW((void)traced_opening({}, bytes, 0, 0), InputError);
  EXPECT_THROW((void)traced_opening({}, bytes, 3, std::nan("")), InputError);
  EXPECT_THROW((void)traced_opening({}, bytes, 3, 0, Border::reflect()), InputError);
  EXPECT_THROW((void)traced_opening({}, Image(), 3, 0), InputError);
  Image odd(Type::F32, {1, 3, 3, 2});
  odd.row<float>(0, 1)[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW((void)traced_opening({}, odd, 3, 0), InputError);
}

}  // namespace
}  // namespace tamis
