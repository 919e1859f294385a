#include <tamis/line.hpp>

#include <limits>
#include <random>

#include <tamis/error.hpp>

#include "line/test/traced_testing.hpp"

namespace tamis {
namespace {

using namespace line_testing;
using morphology_testing::random_image;

const line_testing::TracedOpening ours{"tamis",
                                       [](const Image& image, std::int64_t length, double angle, const Border& border) {
                                         return traced_opening({}, image, length, angle, border);
                                       }};

TEST(TracedOpening, is_the_definition_at_all_lengths_and_angles) { ours.expect_all_lengths_and_angles(); }
TEST(TracedOpening, every_type_and_shape) { ours.expect_every_type_and_shape(); }
TEST(TracedOpening, plateaus_and_ramps) { ours.expect_plateaus_and_ramps(); }

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
