#include <tamis/balls.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/phantom.hpp>

#include "distance/test/testing.hpp"
#include "granulometry/test/ball_reference.hpp"
#include "granulometry/test/repeated_balls.hpp"
#include "granulometry/test/testing.hpp"

namespace tamis {
namespace {

using distance_testing::clear_bit;
using distance_testing::clip;
using distance_testing::contexts;
using distance_testing::random_object;

/// T2 as the library delivers it, slice by slice.
std::vector<std::uint64_t> squares_of(const Context& context, const Image& object, const BallOptions& options,
                                      const Image& domain, BallSizes& sizes) {
  Type squares = Type::U16;
  Image map;
  sizes = ball_map(
      context, object, options, domain,
      [&](const BallSizes&, Type type) {
        squares = type;
        map = Image(type, object.shape());
      },
      [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
        std::memcpy(map.row<std::byte>(z0, 0), slices,
                    static_cast<std::size_t>(count * object.shape().y * object.shape().x * sample_bytes(squares)));
      });
  return distance_testing::values(map);
}

void expect_reference(const Image& object, const BallOptions& options, const Image& domain,
                      const std::vector<Context>& all) {
  SCOPED_TRACE(to_string(object.shape()) + " rank " + std::to_string(object.shape().rank) + " " +
               std::string(name(options.border)) + " " + std::string(name(options.convention)) +
               (options.by_slices ? " by slices" : ""));
  const std::vector<std::uint64_t> expected = ball_reference::squares(object, options, domain);
  const int rank = object.shape().rank == 3 && !options.by_slices ? 3 : 2;
  const std::int64_t side = whole_sides(object.spacing, rank).least(rank);
  for (const Context& context : all) {
    SCOPED_TRACE(context.describe());
    BallSizes sizes;
    EXPECT_TRUE(squares_of(context, object, options, domain, sizes) == expected);
    if (sizes.sizes.rows() > 1) {
      EXPECT_EQ(sizes.sizes.volume, ball_reference::curve(expected, side));
    }
    EXPECT_EQ(ball_granulometry(context, object, options, domain).sizes.volume, sizes.sizes.volume);
  }
}

const std::vector<Shape> odd_shapes = {{1, 1, 1, 3},   {1, 1, 1, 2},  {5, 1, 1, 3},   {1, 7, 1, 3},   {1, 1, 63, 3},
                                       {1, 9, 64, 3},  {3, 5, 65, 3}, {9, 9, 9, 3},   {33, 7, 5, 3},  {1, 33, 31, 2},
                                       {1, 1, 130, 2}, {1, 70, 1, 2}, {2, 34, 33, 3}, {14, 15, 40, 3}};

std::vector<BallOptions> every_option(const Shape& shape) {
  std::vector<BallOptions> all;
  for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
    for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Porespy, BallConvention::Fiji})
      for (const bool by_slices : {false, true})
        if (!by_slices || shape.rank == 3) all.push_back({border, convention, by_slices, {}});
  return all;
}

TEST(Balls, agree_with_the_definition_for_every_option_shape_and_instruction_set) {
  Sampled some(17);
  const std::vector<Context> all = contexts();
  for (const Shape& shape : odd_shapes) {
    for (const BallOptions& options : every_option(shape))
      for (const double background : {0.0, 0.003, 0.03, 0.4})
        if (!some.skips()) expect_reference(random_object(shape, background, 17), options, {}, all);
  }
}

TEST(Balls, agree_with_the_definition_inside_domains) {
  Sampled some(13);
  const std::vector<Context> all = contexts();
  for (const Shape& shape : odd_shapes)
    for (const BallOptions& options : every_option(shape))
      for (const std::int64_t slices : {std::int64_t{1}, shape.z}) {
        if (some.skips()) continue;
        const Image domain = random_object({slices, shape.y, shape.x, shape.rank}, 0.05, 3);
        Image object = random_object(shape, 0.01, 11);
        clip(object, domain);
        expect_reference(object, options, domain, all);
      }
}

TEST(Balls, agree_with_the_definition_where_many_tiles_meet) {
  Sampled some(11, 3);
  const std::vector<Context> all = contexts();
  for (const BallOptions& options : every_option({})) {
    if (options.by_slices) continue;
    if (!some.skips()) expect_reference(random_object({34, 35, 66, 3}, 0.003, 1), options, {}, all);
    if (!some.skips()) expect_reference(random_object({40, 45, 70, 3}, 0.01, 2), options, {}, all);
  }
  expect_reference(random_object({1, 200, 231, 2}, 0.0003, 2), {DomainBorder::Neutral}, {}, all);
}

TEST(Balls, agree_with_the_definition_for_anisotropic_voxels) {
  Sampled some(17, 3);
  const std::vector<Context> all = contexts();
  for (const Spacing& spacing : {Spacing{2, 1, 1, "um"}, Spacing{1, 5, 3, "um"}, Spacing{7, 2, 6, "mm"},
                                 Spacing{10, 2.5, 2.5, "um"}, Spacing{64, 63, 61, "nm"}})
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
      for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Fiji})
        for (const double background : {0.001, 0.02}) {
          for (const Shape& shape : {Shape{12, 34, 40, 3}, Shape{1, 40, 70, 2}}) {
            if (some.skips()) continue;
            Image object = random_object(shape, background, 5);
            object.spacing = spacing;
            expect_reference(object, {border, convention}, {}, all);
          }
        }
}

TEST(Balls, agree_with_the_definition_for_measured_voxels) {
  Sampled some(11, 3);
  const std::vector<Context> all = contexts();
  bool some_of_64_bits = false;
  for (const Spacing& spacing : distance_testing::measured_spacings())
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
      for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Fiji})
        for (const bool by_slices : {false, true})
          for (const Shape& shape : {Shape{11, 34, 37, 3}, Shape{1, 40, 70, 2}}) {
            if (by_slices && shape.rank == 2) continue;
            Image object = random_object(shape, 0.002, 5);
            object.spacing = spacing;
            some_of_64_bits |= squared_distance({}, object, {border}).squares.type() == Type::U64;
            if (some.skips()) continue;
            expect_reference(object, {border, convention, by_slices}, {}, all);
            const Image domain = random_object(shape, 0.02, 3);
            clip(object, domain);
            expect_reference(object, {border, convention, by_slices}, domain, all);
          }
  EXPECT_TRUE(some_of_64_bits);
}

TEST(Balls, of_listed_radii_agree_with_the_definition) {
  Sampled some(17);
  for (const Shape& shape : {Shape{14, 35, 40, 3}, Shape{1, 40, 70, 2}, Shape{3, 30, 65, 3}})
    for (const std::vector<std::int64_t>& radii : {std::vector<std::int64_t>{1},
                                                   {1, 3},
                                                   {2, 3, 5},
                                                   {4},
                                                   {60000},
                                                   {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}})
      for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Porespy, BallConvention::Fiji})
        for (const Spacing& spacing : {Spacing{}, Spacing{5, 2, 2, "um"}, Spacing{2.5, 0.6836, 0.6836, "um"},
                                       Spacing{1.7320508, 1.41421356, 1, "um"}}) {
          if ((convention == BallConvention::Porespy && spacing.known()) || some.skips()) continue;
          Image object = random_object(shape, 0.003, 7);
          object.spacing = spacing;
          BallOptions options{DomainBorder::Neutral, convention};
          options.radii = radii;
          const std::vector<std::uint64_t> expected = ball_reference::squares(object, options, {});
          const int rank = shape.rank;
          const std::int64_t side = whole_sides(spacing, rank).least(rank);
          for (const Context& context : contexts()) {
            BallSizes sizes;
            std::vector<std::uint64_t> found = squares_of(context, object, options, {}, sizes);
            for (std::uint64_t& square : found) square = square < sizes.least_square ? 0 : square;
            EXPECT_TRUE(found == expected) << to_string(shape) << name(convention);
            ASSERT_EQ(sizes.sizes.rows(), static_cast<std::int64_t>(radii.size()) + 1);
            for (std::int64_t row = 1; row < sizes.sizes.rows(); ++row) {
              const std::int64_t radius = radii[static_cast<std::size_t>(row - 1)];
              EXPECT_EQ(sizes.sizes.size(row), radius);
              EXPECT_EQ(sizes.sizes.volume[static_cast<std::size_t>(row)],
                        std::count_if(expected.begin(), expected.end(), [&](std::uint64_t square) {
                          return square > static_cast<std::uint64_t>(radius * radius * side * side);
                        }));
            }
          }
        }
}

TEST(Balls, what_no_listed_ball_covers_has_no_radius) {
  Image object(Type::Bool, {1, 5, 20, 2});
  for (std::int64_t y = 0; y < 5; ++y) object.row<std::uint64_t>(0, y)[0] = y == 2 ? 0x3ffU : 0x1fU;
  BallOptions options;
  options.radii = {3};
  const Image radii = ball_map({}, object, BallMeasure::Radius, options);
  const Image sizes = ball_map({}, object, BallMeasure::Size, options);
  EXPECT_EQ(radii.row<float>(0, 2)[2], 3);
  EXPECT_EQ(radii.row<float>(0, 2)[8], 0);
  EXPECT_EQ(sizes.row<std::uint8_t>(0, 2)[2], 3);
  EXPECT_EQ(sizes.row<std::uint8_t>(0, 2)[8], 1);
  EXPECT_EQ(sizes.row<std::uint8_t>(0, 2)[10], 0);
  const BallSizes found = ball_granulometry({}, object, options);
  EXPECT_EQ(found.sizes.volume, (std::vector<std::int64_t>{30, 0}));
  EXPECT_EQ(found.sizes.listed, (std::vector<std::int64_t>{0, 3}));
  options.max_size = 4;
  EXPECT_THROW((void)ball_granulometry({}, object, options), InputError);
  EXPECT_THROW((void)ball_granulometry({}, object, {.radii = {3, 3}}), InputError);
  EXPECT_THROW((void)ball_granulometry({}, object, {.radii = {0}}), InputError);
  EXPECT_THROW((void)ball_granulometry({}, object, {.radii = {65535}}), InputError);
}

TEST(Balls, radii_past_254_are_exact) {
  // Thin, so that the definition can be asked: rows of 600 with one voxel of background.
  for (const Shape& shape : {Shape{1, 1, 600, 2}, Shape{1, 3, 600, 2}, Shape{600, 2, 1, 3}, Shape{2, 600, 3, 3}}) {
    Image object = random_object(shape, 0, 1);
    clear_bit(object, 0, 0, 0);
    expect_reference(object, {DomainBorder::Neutral}, {}, contexts());
    expect_reference(object, {DomainBorder::Neutral, BallConvention::Fiji}, {}, contexts());
  }
}

/// One ball, all that is not its middle's farthest voxel: the largest numbers that 8 and 16 bits hold as squares and as
/// sizes, and that 32 bits hold as squares.
TEST(Balls, sizes_at_the_limits_of_their_types_are_exact) {
  struct Limit {
    std::int64_t radius;
    Type squares, sizes;
  };
  for (const Limit& limit : {Limit{15, Type::U16, Type::U8},
                             {16, Type::U16, Type::U8},
                             {254, Type::U16, Type::U8},
                             {255, Type::U32, Type::U8},
                             {256, Type::U32, Type::U16},
                             {46340, Type::U32, Type::U16},
                             {46341, Type::U64, Type::U16},
                             {65535, Type::U64, Type::U16},
                             {65536, Type::U64, Type::U32}}) {
    Image object = random_object({1, 1, limit.radius + 1, 2}, 0, 1);
    clear_bit(object, 0, 0, 0);
    const auto square = static_cast<std::uint64_t>(limit.radius * limit.radius);
    std::vector<std::uint64_t> expected(static_cast<std::size_t>(limit.radius) + 1, square);
    expected.front() = 0;
    BallSizes sizes;
    EXPECT_TRUE(squares_of({}, object, {DomainBorder::Neutral}, {}, sizes) == expected) << limit.radius;
    EXPECT_EQ(squared_distance({}, object, {DomainBorder::Neutral}).squares.type(), limit.squares) << limit.radius;
    EXPECT_EQ(sizes.largest_square, square);
    EXPECT_EQ(sizes.thickness->mean_radius, static_cast<double>(limit.radius));
    const Image map = ball_map({}, object, BallMeasure::Size, {DomainBorder::Neutral});
    ASSERT_EQ(map.type(), limit.sizes) << limit.radius;
    const std::int64_t last = limit.radius;
    EXPECT_EQ(map.type() == Type::U8    ? map.row<std::uint8_t>(0, 0)[last]
              : map.type() == Type::U16 ? map.row<std::uint16_t>(0, 0)[last]
                                        : map.row<std::uint32_t>(0, 0)[last],
              limit.radius);
  }
}

/// Takes a minute and 13 GB: `make test-extra` runs it.
TEST(Balls, DISABLED_of_more_than_2_to_the_31_voxels_are_exact) {
  const distance_testing::Repeated repeated;
  const Image object = repeated.large();
  Context cpu;
  cpu.device = Device::Cpu;
  ball_testing::expect_repeated(cpu, repeated, object);
}

TEST(Balls, slabs_of_any_height_give_the_same_answer) {
  if (small_scale()) GTEST_SKIP() << "TAMIS_TEST_SCALE is set";
  Sampled some(1, 2);
  FoamOptions foam;
  foam.shape = {300, 90, 100, 3};
  foam.max_radius = 12;
  const Image grey = phantom_foam({}, foam);
  Image object = binarise({}, *source_of(grey), {}).object;
  for (const BallOptions& options :
       {BallOptions{}, BallOptions{DomainBorder::Neutral}, BallOptions{DomainBorder::Background, BallConvention::Fiji},
        BallOptions{DomainBorder::Neutral, BallConvention::Tamis, true}}) {
    if (some.skips()) continue;
    BallSizes whole;
    const std::vector<std::uint64_t> expected = squares_of({}, object, options, {}, whole);
    for (const std::int64_t mebibytes : {15, 16, 18}) {
      Context context;
      context.memory_bytes = mebibytes << 20;
      BallSizes sizes;
      EXPECT_TRUE(squares_of(context, object, options, {}, sizes) == expected) << mebibytes;
      EXPECT_EQ(sizes.sizes.volume, whole.sizes.volume);
      EXPECT_DOUBLE_EQ(sizes.thickness->mean_radius, whole.thickness->mean_radius);
    }
  }
  for (const Spacing& spacing : {Spacing{2.5, 0.6836, 0.6836, "um"}, Spacing{1.7320508, 1.41421356, 1, "um"}}) {
    object.spacing = spacing;
    BallSizes whole;
    const std::vector<std::uint64_t> expected = squares_of({}, object, {}, {}, whole);
    for (const std::int64_t mebibytes : {28, 34}) {
      Context context;
      context.memory_bytes = mebibytes << 20;
      BallSizes sizes;
      EXPECT_TRUE(squares_of(context, object, {}, {}, sizes) == expected) << mebibytes;
      EXPECT_EQ(sizes.sizes.volume, whole.sizes.volume);
      EXPECT_EQ(sizes.thickness->mean_radius, whole.thickness->mean_radius);
    }
  }
  Context tiny;
  tiny.memory_bytes = 9 << 20;
  EXPECT_THROW((void)ball_granulometry(tiny, object), ResourceError);
}

TEST(Balls, slabs_have_radii_of_whole_numbers_for_odd_widths) {
  for (const std::int64_t width : {1, 2, 3, 4, 5, 9}) {
    const Image object = random_object({width, 40, 40, 3}, 0, 1);
    const Image map = ball_map({}, object, BallMeasure::Radius);
    EXPECT_EQ(map.row<float>(0, 20)[20], static_cast<float>((width + 1) / 2));
    EXPECT_EQ(ball_map({}, object, BallMeasure::Diameter).row<float>(0, 20)[20],
              2 * static_cast<float>((width + 1) / 2));
    EXPECT_EQ(ball_map({}, object, BallMeasure::Width).row<float>(0, 20)[20],
              2 * static_cast<float>((width + 1) / 2) - 1);
  }
}

/// Balls |p - c|^2 < s in a volume.
void add_ball(Image& image, std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t square) {
  for (std::int64_t c = 0; c < image.shape().z; ++c)
    for (std::int64_t b = 0; b < image.shape().y; ++b)
      for (std::int64_t a = 0; a < image.shape().x; ++a)
        if ((c - z) * (c - z) + (b - y) * (b - y) + (a - x) * (a - x) < square)
          image.row<std::uint64_t>(c, b)[a / 64] |= std::uint64_t{1} << (a % 64);
}

TEST(Balls, known_balls_give_their_radii_back) {
  Image object(Type::Bool, {45, 45, 90, 3});
  add_ball(object, 22, 22, 22, 400);
  add_ball(object, 15, 20, 70, 81);
  const Image map = ball_map({}, object, BallMeasure::Size);
  EXPECT_EQ(map.type(), Type::U8);
  EXPECT_EQ(map.row<std::uint8_t>(22, 22)[22], 20);
  EXPECT_EQ(map.row<std::uint8_t>(22, 22)[22 + 19], 20);
  EXPECT_EQ(map.row<std::uint8_t>(15, 20)[70], 9);
  EXPECT_EQ(map.row<std::uint8_t>(15, 20)[70 - 8], 9);
}

TEST(Balls, thickness_is_the_mean_of_the_radii) {
  const Image object = random_object({20, 30, 40, 3}, 0.01, 4);
  BallSizes sizes;
  const std::vector<std::uint64_t> squares = squares_of({}, object, {}, {}, sizes);
  double count = 0;
  double sum = 0;
  double second = 0;
  for (const std::uint64_t square : squares) {
    if (square == 0) continue;
    count += 1;
    sum += std::sqrt(static_cast<double>(square));
    second += static_cast<double>(square);
  }
  ASSERT_TRUE(sizes.thickness);
  EXPECT_NEAR(sizes.thickness->mean_radius, sum / count, 1e-9);
  EXPECT_NEAR(sizes.thickness->standard_deviation, std::sqrt(second / count - sum / count * sum / count), 1e-9);
  EXPECT_EQ(sizes.thickness->largest_radius,
            std::sqrt(static_cast<double>(*std::max_element(squares.begin(), squares.end()))));
}

TEST(Balls, what_never_erodes_is_counted_and_left_out) {
  Image object = random_object({3, 20, 20, 3}, 0, 1);
  clear_bit(object, 1, 10, 10);
  const BallOptions disks{DomainBorder::Neutral, BallConvention::Tamis, true};
  const BallSizes sizes = ball_granulometry({}, object, disks);
  EXPECT_EQ(sizes.unbounded, 800);
  EXPECT_TRUE(sizes.sizes.never_empties);
  EXPECT_EQ(sizes.sizes.volume.back(), 800);
  const Image map = ball_map({}, object, BallMeasure::Size, disks);
  EXPECT_EQ(map.row<std::uint8_t>(0, 0)[0], sizes.sizes.rows());
  EXPECT_TRUE(std::isinf(ball_map({}, object, BallMeasure::Radius, disks).row<float>(0, 0)[0]));
  const BallSizes full = ball_granulometry({}, random_object({3, 4, 5, 3}, 0, 1), {DomainBorder::Neutral});
  EXPECT_EQ(full.sizes.volume, (std::vector<std::int64_t>{60}));
  EXPECT_FALSE(full.thickness);
}

TEST(Balls, a_largest_size_ends_the_rows) {
  const Image object = random_object({30, 30, 30, 3}, 0.0005, 1);
  BallOptions options;
  const std::vector<std::int64_t> all = ball_granulometry({}, object, options).sizes.volume;
  options.max_size = 2;
  const BallSizes limited = ball_granulometry({}, object, options);
  EXPECT_EQ(limited.sizes.volume, std::vector<std::int64_t>(all.begin(), all.begin() + 3));
  EXPECT_TRUE(limited.sizes.limited);
  const Image map = ball_map({}, object, BallMeasure::Size, options);
  std::set<int> values;
  for (std::int64_t i = 0; i < 27000; ++i) values.insert(map.row<std::uint8_t>(0, 0)[i]);
  EXPECT_EQ(*values.rbegin(), 3);
}

TEST(Balls, refuse_what_they_cannot_do) {
  Image object = random_object({4, 5, 6, 3}, 0.1, 1);
  object.spacing = {2, 1, 1, "um"};
  EXPECT_THROW((void)ball_granulometry({}, object, {DomainBorder::Background, BallConvention::Porespy}), InputError);
  EXPECT_NO_THROW((void)ball_granulometry({}, object, {DomainBorder::Background, BallConvention::Porespy, true}));
  object.spacing = {1e10, 1, 1, "um"};
  EXPECT_THROW((void)ball_granulometry({}, object), InputError);
  EXPECT_THROW((void)ball_granulometry({}, Image(Type::U8, {2, 2, 2})), InputError);
  EXPECT_THROW((void)ball_granulometry({}, random_object({4, 4, 4, 3}, 0, 1), {}, Image(Type::Bool, {4, 4, 4, 3})),
               InputError);
}

Image arbitrary_object() {
  const Shape shape{*rc::gen::inRange(1, 24), *rc::gen::inRange(1, 40), *rc::gen::inRange(1, 70), 3};
  return random_object(shape, *rc::gen::element(0.0005, 0.005, 0.05, 0.5), *rc::gen::arbitrary<unsigned>());
}

std::vector<std::uint64_t> squares_of(const Image& object, const BallOptions& options) {
  BallSizes sizes;
  return squares_of({}, object, options, {}, sizes);
}

RC_GTEST_PROP(BallLaws, no_radius_is_below_the_distance, ()) {
  const Image object = arbitrary_object();
  const std::vector<std::uint64_t> distances = distance_testing::values(squared_distance({}, object).squares);
  const std::vector<std::uint64_t> squares = squares_of(object, {});
  for (std::size_t i = 0; i < squares.size(); ++i) RC_ASSERT(squares[i] >= distances[i]);
}

RC_GTEST_PROP(BallLaws, more_object_has_no_smaller_radii, ()) {
  const Image object = arbitrary_object();
  Image less(Type::Bool, object.shape());
  std::memcpy(less.data(), object.data(), static_cast<std::size_t>(object.bytes()));
  for (int i = 0; i < 3; ++i) {
    const Shape& shape = object.shape();
    clear_bit(less, *rc::gen::inRange<std::int64_t>(0, shape.z), *rc::gen::inRange<std::int64_t>(0, shape.y),
              *rc::gen::inRange<std::int64_t>(0, shape.x));
  }
  const std::vector<std::uint64_t> more = squares_of(object, {});
  const std::vector<std::uint64_t> fewer = squares_of(less, {});
  for (std::size_t i = 0; i < more.size(); ++i) RC_ASSERT(fewer[i] <= more[i]);
}

RC_GTEST_PROP(BallLaws, the_map_of_an_opening_is_the_map_above_its_size, ()) {
  const Image object = arbitrary_object();
  const std::int64_t n = *rc::gen::inRange(0, 6);
  const std::vector<std::uint64_t> squares = squares_of(object, {});
  Image opened(Type::Bool, object.shape());
  std::size_t i = 0;
  for (std::int64_t z = 0; z < object.shape().z; ++z)
    for (std::int64_t y = 0; y < object.shape().y; ++y)
      for (std::int64_t x = 0; x < object.shape().x; ++x, ++i)
        if (squares[i] > static_cast<std::uint64_t>(n * n))
          opened.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
  const std::vector<std::uint64_t> again = squares_of(opened, {});
  for (i = 0; i < squares.size(); ++i) {
    RC_ASSERT(again[i] == (squares[i] > static_cast<std::uint64_t>(n * n) ? squares[i] : 0U));
  }
}

RC_GTEST_PROP(BallLaws, agree_with_the_definition_on_arbitrary_objects, ()) {
  Image object = arbitrary_object();
  if (*rc::gen::arbitrary<bool>()) {
    object.spacing = {static_cast<double>(*rc::gen::inRange(1, 8)), static_cast<double>(*rc::gen::inRange(1, 8)),
                      static_cast<double>(*rc::gen::inRange(1, 8)), "um"};
  }
  const BallOptions options{*rc::gen::element(DomainBorder::Background, DomainBorder::Neutral),
                            *rc::gen::element(BallConvention::Tamis, BallConvention::Fiji),
                            *rc::gen::arbitrary<bool>()};
  RC_ASSERT(squares_of(object, options) == ball_reference::squares(object, options, {}));
}

}  // namespace
}  // namespace tamis
