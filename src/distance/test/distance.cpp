#include <tamis/distance.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
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

TEST(Distance, sides_are_whole_numbers_up_to_64_or_refused_with_the_nearest) {
  EXPECT_EQ(whole_sides({1, 1, 1, ""}, 3), (WholeSides{1, 1, 1, 1}));
  EXPECT_EQ(whole_sides({1.00005, 1, 1, "um"}, 3), (WholeSides{1, 1, 1, 1}));
  EXPECT_EQ(whole_sides({3, 1.5, 2, "um"}, 3), (WholeSides{6, 3, 4, 0.5}));
  EXPECT_EQ(whole_sides({9.7, 1, 1, "um"}, 2), (WholeSides{1, 1, 1, 1}));
  EXPECT_EQ(whole_sides({64, 63, 1, "um"}, 3), (WholeSides{64, 63, 1, 1}));
  try {
    (void)whole_sides({2.718281828, 1, 1, "um"}, 3);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "voxels of 1x1x2.71828um; wanted sides in a ratio of whole numbers up to 64: the nearest is 18:18:49, "
                 "1x1x2.72222um");
  }
  EXPECT_THROW((void)whole_sides({65, 1, 1, "um"}, 3), InputError);
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
  object.spacing = {static_cast<double>(*rc::gen::inRange(1, 8)), static_cast<double>(*rc::gen::inRange(1, 8)),
                    static_cast<double>(*rc::gen::inRange(1, 8)), "um"};
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
