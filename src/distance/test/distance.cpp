#include <tamis/distance.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "distance/plan.hpp"
#include "distance/test/repeated.hpp"
#include "distance/test/testing.hpp"

namespace tamis {
namespace {

using namespace distance_testing;

const std::vector<Shape> odd_shapes = {{1, 1, 1, 3},   {1, 1, 1, 2},  {5, 1, 1, 3},  {1, 7, 1, 3},   {1, 1, 63, 3},
                                       {1, 9, 64, 3},  {3, 5, 65, 3}, {9, 9, 9, 3},  {12, 21, 7, 3}, {1, 33, 31, 2},
                                       {1, 1, 130, 2}, {1, 70, 1, 2}, {40, 3, 5, 3}, {2, 6, 129, 3}};

void expect_reference(const Image& object, const DistanceOptions& options, const Image& domain = {}) {
  SCOPED_TRACE(describe(object.shape(), options));
  const std::vector<std::uint64_t> expected = distance_reference::squares(object, options, domain);
  std::uint64_t largest = 0;
  for (const std::uint64_t value : expected) largest = std::max(largest, value == ~std::uint64_t{0} ? 0 : value);
  for (const Context& context : contexts()) {
    SCOPED_TRACE(context.describe());
    const SquaredDistances found = squared_distance(context, object, options, domain);
    EXPECT_TRUE(values(found.squares) == expected);
    EXPECT_EQ(found.largest, largest);
  }
}

std::vector<DistanceOptions> every_option(const Shape& shape) {
  std::vector<DistanceOptions> all;
  for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
    for (const bool by_slices : {false, true}) {
      if (by_slices && shape.rank == 2) continue;
      for (const Faces& open : {Faces{}, Faces{true}, Faces{false, true, true, false, false, true},
                                Faces{true, true, true, true, true, true}})
        all.push_back({border, open, by_slices});
    }
  return all;
}

TEST(Distance, agrees_with_the_definition_for_every_option_shape_and_instruction_set) {
  for (const Shape& shape : odd_shapes)
    for (const DistanceOptions& options : every_option(shape))
      for (const double background : {0.0, 0.02, 0.5, 1.0})
        expect_reference(random_object(shape, background, 7), options);
}

TEST(Distance, agrees_with_the_definition_inside_domains) {
  for (const Shape& shape : odd_shapes)
    for (const DistanceOptions& options : every_option(shape))
      for (const std::int64_t slices : {std::int64_t{1}, shape.z}) {
        const Image domain = random_object({slices, shape.y, shape.x, shape.rank}, 0.2, 3);
        Image object = random_object(shape, 0.05, 11);
        clip(object, domain);
        expect_reference(object, options, domain);
        expect_reference(domain.shape().z == shape.z ? domain : object, options, domain);
      }
}

TEST(Distance, anisotropic_voxels_are_exact) {
  for (const Spacing& spacing : {Spacing{2, 1, 1, "um"}, Spacing{1, 5, 3, "um"}, Spacing{7, 2, 6, "mm"},
                                 Spacing{10, 2.5, 2.5, "um"}, Spacing{64, 63, 61, "nm"}})
    for (const DistanceOptions& options : every_option({}))
      for (const Shape& shape : {Shape{6, 11, 23, 3}, Shape{1, 19, 70, 2}}) {
        Image object = random_object(shape, 0.03, 5);
        object.spacing = spacing;
        expect_reference(object, options);
      }
}

TEST(Distance, measured_voxels_are_exact) {
  bool some_of_64_bits = false;
  for (const Spacing& spacing : measured_spacings())
    for (const DistanceOptions& options : every_option({}))
      for (const Shape& shape : {Shape{9, 15, 23, 3}, Shape{31, 5, 9, 3}, Shape{1, 19, 70, 2}})
        for (const double background : {0.001, 0.03, 1.0}) {
          Image object = random_object(shape, background, 5);
          object.spacing = spacing;
          expect_reference(object, options);
          const Image domain = random_object(shape, 0.05, 3);
          clip(object, domain);
          expect_reference(object, options, domain);
          some_of_64_bits |= squared_distance({}, object, options, domain).squares.type() == Type::U64;
        }
  EXPECT_TRUE(some_of_64_bits);
}

TEST(Distance, squares_of_long_sides_are_exact_at_the_limits_of_a_lane) {
  // 46340 and 46341 are the lengths on both sides of the last square of 31 bits, 2^31 - 1 of 62.
  for (const std::int64_t side : {254, 255, 46340, 46341, 65535, 65536, 0x7fffffff}) {
    Image object = random_object({3, 3, 3, 3}, 0, 1);
    const auto long_side = static_cast<double>(side);
    object.spacing = {long_side, long_side + 1, 1, "nm"};
    if (side == 0x7fffffff) object.spacing.y = long_side;
    clear_bit(object, 0, 0, 0);
    DistanceOptions options{DomainBorder::Neutral};
    if (side < 0x7fffffff) expect_reference(object, options);
    const SquaredDistances found = squared_distance({}, random_object({1, 2, 1, 3}, 0, 1), options);
    EXPECT_TRUE(found.unbounded);
    Image pair = random_object({2, 1, 1, 3}, 0, 1);
    pair.spacing = object.spacing;
    clear_bit(pair, 1, 0, 0);
    const SquaredDistances one = squared_distance({}, pair, options);
    EXPECT_EQ(one.largest, static_cast<std::uint64_t>(side * side));
    EXPECT_EQ(one.squares.type(), side < 255 ? Type::U16 : side <= 46340 ? Type::U32 : Type::U64);
  }
}

TEST(Distance, says_where_even_64_bits_do_not_do) {
  Image object = random_object({3, 1, 1, 3}, 0, 1);
  object.spacing = {0x7fffffff, 1, 1, "nm"};
  clear_bit(object, 0, 0, 0);
  try {
    (void)squared_distance({}, object, {DomainBorder::Neutral});
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_STREQ(error.what(),
                 "distances of 2^31 and more in units of which a voxel has 1x1x2147483647; wanted a smaller image, or "
                 "sides in a simpler ratio");
  }
}

TEST(Distance, squares_at_the_limits_of_a_lane_are_exact) {
  // A row with background at one end: the farthest voxel is count - 1 steps away.
  for (const std::int64_t count : {254, 255, 256, 257, 300, 46341, 46342, 65600, 70000}) {
    for (const int axis : {0, 1, 2}) {
      if (axis != 2 && count > 300) continue;  // windows grow with the distance
      Shape shape{1, 1, 1, 3};
      (axis == 0 ? shape.z : axis == 1 ? shape.y : shape.x) = count;
      Image object = random_object(shape, 0, 1);
      clear_bit(object, 0, 0, 0);
      for (const Context& context : contexts()) {
        SCOPED_TRACE(to_string(shape) + " " + context.describe());
        const SquaredDistances found = squared_distance(context, object, {DomainBorder::Neutral});
        const auto farthest = static_cast<std::uint64_t>((count - 1) * (count - 1));
        EXPECT_EQ(found.largest, farthest);
        EXPECT_EQ(found.squares.type(), farthest < 65025 ? Type::U16 : farthest < 0x7fffffff ? Type::U32 : Type::U64);
        const std::vector<std::uint64_t> all = values(found.squares);
        for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i * i);
      }
    }
  }
}

TEST(Distance, one_far_voxel_of_background_is_measured_from_everywhere) {
  const Shape shape{3, 190, 260, 3};
  Image object = random_object(shape, 0, 1);
  clear_bit(object, 1, 3, 2);
  for (const Context& context : contexts()) {
    const SquaredDistances found = squared_distance(context, object, {DomainBorder::Neutral});
    const std::vector<std::uint64_t> all = values(found.squares);
    std::size_t i = 0;
    for (std::int64_t z = 0; z < shape.z; ++z)
      for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x, ++i)
          ASSERT_EQ(all[i], static_cast<std::uint64_t>((z - 1) * (z - 1) + (y - 3) * (y - 3) + (x - 2) * (x - 2)));
  }
}

/// Takes 5 GB: `make test-extra` runs it.
TEST(Distance, DISABLED_of_more_than_2_to_the_31_voxels_is_exact) {
  const distance_testing::Repeated repeated;
  const Image object = repeated.large();
  const SquaredDistances small = squared_distance({}, repeated.small());
  Context cpu;
  cpu.device = Device::Cpu;
  const SquaredDistances found = squared_distance(cpu, object);
  ASSERT_EQ(small.squares.type(), Type::U16);
  ASSERT_EQ(found.squares.type(), Type::U16);
  EXPECT_EQ(found.largest, small.largest);
  EXPECT_EQ(distance_testing::Repeated::wrong_rows(small.squares, object.shape(), found.squares.row<std::uint16_t>(0, 0),
                                                   0, object.shape().z),
            0);
}

TEST(Distance, without_background_distances_are_infinite) {
  const Image object = random_object({3, 4, 5, 3}, 0, 1);
  const SquaredDistances found = squared_distance({}, object, {DomainBorder::Neutral});
  EXPECT_TRUE(found.unbounded);
  EXPECT_EQ(found.largest, 0U);
  const Image map = distance({}, object, {DomainBorder::Neutral});
  EXPECT_TRUE(std::isinf(map.row<float>(2, 3)[4]));
  EXPECT_FALSE(squared_distance({}, object).unbounded);
}

TEST(Distance, distances_are_in_units_of_the_spacing) {
  Image object = random_object({5, 5, 5, 3}, 0, 1);
  EXPECT_EQ(distance({}, object).row<float>(2, 2)[2], 3.0F);
  object.spacing = {10, 2.5, 2.5, "um"};
  EXPECT_EQ(distance({}, object).row<float>(2, 2)[2], 7.5F);
  EXPECT_EQ(squared_distance({}, object).sides, (WholeSides{4, 1, 1, 2.5}));
}

/// x, y and z as whole numbers, in every order of the axes.
void expect_sides(double x, double y, double z, const std::array<std::int64_t, 3>& expected) {
  const std::array<double, 3> given = {x, y, z};
  std::array<std::size_t, 3> order = {0, 1, 2};
  do {
    const WholeSides sides = whole_sides({given[order[2]], given[order[1]], given[order[0]], "um"}, 3);
    EXPECT_EQ((std::array{sides.x, sides.y, sides.z}),
              (std::array{expected[order[0]], expected[order[1]], expected[order[2]]}))
        << x << " " << y << " " << z;
    EXPECT_NEAR(sides.unit * static_cast<double>(sides.z) / given[order[2]], 1, 1e-6);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Distance, sides_are_the_least_whole_numbers_within_a_millionth_of_their_ratios) {
  expect_sides(1, 1, 1, {1, 1, 1});
  expect_sides(0.1, 0.1, 0.3, {1, 1, 3});
  expect_sides(2.5, 2.5, 10, {1, 1, 4});
  expect_sides(1.5, 2, 3, {3, 4, 6});
  expect_sides(1, 63, 64, {1, 63, 64});
  expect_sides(0.206, 0.206, 0.5, {103, 103, 250});
  expect_sides(double{0.206F}, double{0.206F}, 0.5, {103, 103, 250});
  expect_sides(0.0645, 0.0645, 0.2, {129, 129, 400});
  expect_sides(0.6836, 0.6836, 2.5, {802, 802, 2933});
  expect_sides(1.0007, 1.0007, 1, {1428, 1428, 1427});
  expect_sides(1, 1, 65, {1, 1, 65});
  expect_sides(1, 1.41421356, 1.7320508, {10905, 15422, 18888});
  expect_sides(0.3333, 0.3333, 1, {3300, 3300, 9901});
  expect_sides(1, 1, 1.000001, {1, 1, 1});
  expect_sides(1, 1, 1.0000011, {476191, 476191, 476192});
  expect_sides(1e-9, 1e-9, 1, {1, 1, 1000000000});
  expect_sides(1, 1, 2147483646, {1, 1, 2147483646});
  expect_sides(3.1415926535897931, 2.7182818284590451, 1.6180339887498949, {8646, 7481, 4453});
  EXPECT_EQ(whole_sides({9.7, 1, 1, "um"}, 2), (WholeSides{1, 1, 1, 1}));
  EXPECT_EQ(whole_sides({3, 1.5, 2, "um"}, 3), (WholeSides{6, 3, 4, 0.5}));
}

TEST(Distance, sides_that_no_whole_numbers_tell_are_refused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double z : {0.0, -1.0, nan, infinite, 1e10, 1e-300, 2147483649.0}) {
    EXPECT_THROW((void)whole_sides({z, 1, 1, "um"}, 3), InputError) << z;
    EXPECT_THROW((void)whole_sides({1, 1, z, "um"}, 3), InputError) << z;
    EXPECT_EQ(whole_sides({z, 1, 1, "um"}, 2), (WholeSides{1, 1, 1, 1}));
  }
  try {
    (void)whole_sides({1e10, 1, 1, "um"}, 3);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "voxels of 1x1x1e+10um; wanted sides above 0 in a ratio of whole numbers up to 2147483647");
  }
}

TEST(Distance, refuses_what_is_no_object) {
  EXPECT_THROW((void)squared_distance({}, Image(Type::U8, {2, 2, 2})), InputError);
  EXPECT_THROW((void)squared_distance({}, Image()), InputError);
  const Image object = random_object({2, 3, 4, 3}, 0, 1);
  EXPECT_THROW((void)squared_distance({}, object, {}, Image(Type::Bool, {2, 3, 4, 3})), InputError);
  EXPECT_THROW((void)squared_distance({}, object, {}, random_object({2, 3, 5, 3}, 0, 1)), InputError);
}

TEST(Distance, says_what_it_would_need_where_memory_is_short) {
  Context context;
  context.memory_bytes = std::int64_t{4} << 20;
  EXPECT_THROW((void)squared_distance(context, random_object({200, 200, 200, 3}, 0.1, 1)), ResourceError);
}

TEST(Distance, can_be_cancelled) {
  std::stop_source stop;
  stop.request_stop();
  Context context;
  context.cancel = stop.get_token();
  EXPECT_THROW((void)squared_distance(context, random_object({20, 20, 20, 3}, 0.1, 1)), Cancelled);
}

RC_GTEST_PROP(DistanceLaws, agrees_with_the_definition_on_arbitrary_images, ()) {
  const Shape shape{*rc::gen::inRange(1, 9), *rc::gen::inRange(1, 20), *rc::gen::inRange(1, 80), 3};
  Image object = random_object(shape, *rc::gen::element(0.01, 0.1, 0.6), *rc::gen::arbitrary<unsigned>());
  const auto length = [unit = *rc::gen::element(1.0, 0.3719)] {
    return unit == 1 ? *rc::gen::inRange(1, 8) : *rc::gen::inRange(1, 800000) * unit;
  };
  object.spacing = {length(), length(), length(), "um"};
  const auto coin = [] { return *rc::gen::arbitrary<bool>(); };
  const DistanceOptions options{coin() ? DomainBorder::Background : DomainBorder::Neutral,
                                {coin(), coin(), coin(), coin(), coin(), coin()},
                                coin()};
  Context context;
  context.simd = *rc::gen::element(Simd::Best, Simd::Portable);
  RC_ASSERT(values(squared_distance(context, object, options).squares) ==
            distance_reference::squares(object, options, {}));
}

TEST(DistancePlan, bounds_squares_by_the_border_or_the_diagonal) {
  const auto bound = [](const Shape& shape, const DistanceOptions& options) {
    return distance_detail::largest_square(distance_detail::make_plan(Image(Type::Bool, shape), options));
  };
  EXPECT_EQ(bound({9, 20, 30, 3}, {}), 25U);
  EXPECT_EQ(bound({9, 20, 30, 3}, {DomainBorder::Neutral}), 64U + 361 + 841);
  EXPECT_EQ(bound({9, 20, 30, 3}, {DomainBorder::Background, {true}}), 81U);
  EXPECT_EQ(bound({9, 20, 30, 3}, {DomainBorder::Background, {}, true}), 100U);
}

}  // namespace
}  // namespace tamis
