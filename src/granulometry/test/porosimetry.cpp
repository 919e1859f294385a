#include <tamis/porosimetry.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <tamis/error.hpp>

#include "distance/test/testing.hpp"
#include "granulometry/test/ball_reference.hpp"

namespace tamis {
namespace {

using distance_testing::random_object;

/// The definition: widest paths by growing from the inlet until nothing changes, then balls over all voxels.
std::vector<std::uint64_t> reference(const Image& object, const PorosimetryOptions& options, bool& through,
                                     const Image& domain = {}, const Image& mask = {}) {
  const Shape& shape = object.shape();
  const bool flat = shape.rank == 2;
  const WholeSides sides = whole_sides(object.spacing, shape.rank);
  std::vector<std::uint64_t> squares = distance_reference::squares(object, {options.border, options.inlet}, domain);
  for (std::uint64_t& square : squares) square = ball_reference::square_of(square, options.convention);
  std::vector<std::uint64_t> access(squares.size());
  const auto at = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    return static_cast<std::size_t>((z * shape.y + y) * shape.x + x);
  };
  const auto for_all = [&](auto visit) {
    for (std::int64_t z = 0; z < shape.z; ++z)
      for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) visit(z, y, x);
  };
  const Faces& inlet = options.inlet;
  for (bool changed = true; changed;) {
    changed = false;
    for_all([&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const bool entry = (inlet.z_low && z == 0) || (inlet.z_high && z == shape.z - 1) || (inlet.y_low && y == 0) ||
                         (inlet.y_high && y == shape.y - 1) || (inlet.x_low && x == 0) ||
                         (inlet.x_high && x == shape.x - 1) ||
                         (!mask.empty() && mask.bit(mask.shape().z == 1 ? 0 : z, y, x));
      std::uint64_t best = entry ? squares[at(z, y, x)] : 0;
      const auto from = [&](std::int64_t c, std::int64_t b, std::int64_t a) {
        if (c < 0 || c >= shape.z || b < 0 || b >= shape.y || a < 0 || a >= shape.x) return;
        best = std::max(best, std::min(squares[at(z, y, x)], access[at(c, b, a)]));
      };
      from(z - 1, y, x), from(z + 1, y, x), from(z, y - 1, x), from(z, y + 1, x), from(z, y, x - 1), from(z, y, x + 1);
      changed = changed || best > access[at(z, y, x)];
      access[at(z, y, x)] = best;
    });
  }
  through = false;
  std::vector<std::uint64_t> invaded(squares.size());
  for_all([&](std::int64_t z, std::int64_t y, std::int64_t x) {
    const std::uint64_t ball = access[at(z, y, x)];
    through = through || (ball > 0 && z == shape.z - 1);
    if (ball == 0) return;
    for_all([&](std::int64_t c, std::int64_t b, std::int64_t a) {
      if ((flat && c != z) || !object.bit(c, b, a)) return;
      const auto square = [](std::int64_t d) { return static_cast<std::uint64_t>(d * d); };
      const std::uint64_t away = square(sides.z * (c - z)) + square(sides.y * (b - y)) + square(sides.x * (a - x));
      if (away < ball) invaded[at(c, b, a)] = std::max(invaded[at(c, b, a)], ball);
    });
  });
  return invaded;
}

std::vector<std::uint64_t> invasion(const Image& object, const PorosimetryOptions& options, Porosimetry& result,
                                    const Image& domain = {}, const Image& inlet = {}) {
  Type squares = Type::U16;
  Image map;
  result = invasion_map(
      {}, object, options, domain, inlet,
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

TEST(Porosimetry, agrees_with_the_definition_for_every_inlet_and_border) {
  for (const Shape& shape : {Shape{7, 9, 20, 3}, Shape{1, 12, 33, 3}, Shape{1, 14, 30, 2}})
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
      for (const Faces& inlet : {Faces{.z_low = true}, Faces{.y_high = true}, Faces{.x_low = true},
                                 Faces{.y_low = true, .x_high = true}, Faces{true, true, true, true, true, true}})
        for (const double background : {0.02, 0.1, 0.45}) {
          if (shape.rank == 2 && (inlet.z_low || inlet.z_high)) continue;
          const Image object = random_object(shape, background, 3);
          bool through = false;
          const std::vector<std::uint64_t> expected = reference(object, {inlet, border}, through);
          Porosimetry found;
          EXPECT_TRUE(invasion(object, {inlet, border}, found) == expected) << to_string(shape) << background;
          std::int64_t invaded = 0;
          for (const std::uint64_t square : expected) invaded += square > 0;
          EXPECT_EQ(found.invaded, invaded);
          EXPECT_EQ(found.balls.sizes.volume.front(), found.volume);
          if (inlet == Faces{.z_low = true}) {
            EXPECT_EQ(found.breakthrough.has_value(), through);
            const auto face = expected.end() - shape.y * shape.x;
            const double widest = std::sqrt(static_cast<double>(*std::max_element(face, expected.end())));
            EXPECT_EQ(found.breakthrough.value_or(0), widest);
          }
        }
}

TEST(Porosimetry, agrees_with_the_definition_from_masks_inside_domains_by_both_conventions) {
  for (const Shape& shape : {Shape{7, 9, 20, 3}, Shape{1, 14, 70, 2}})
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
      for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Porespy})
        for (const Faces& faces : {Faces{}, Faces{.x_low = true}})
          for (const std::int64_t slices : {std::int64_t{1}, shape.z}) {
            const Image domain = random_object({slices, shape.y, shape.x, shape.rank}, 0.1, 5);
            const Image inlet = random_object({slices, shape.y, shape.x, shape.rank}, 0.98, 6);
            Image object = random_object(shape, 0.06, 7);
            distance_testing::clip(object, domain);
            PorosimetryOptions options{faces, border, convention};
            options.pores = true;
            bool through = false;
            const auto expected = reference(object, options, through, domain, inlet);
            Porosimetry found;
            EXPECT_TRUE(invasion(object, options, found, domain, inlet) == expected) << to_string(shape);
            EXPECT_FALSE(found.breakthrough);
            ASSERT_TRUE(found.pores);
            EXPECT_GE(found.pores->largest_square, found.balls.largest_square);
            EXPECT_EQ(found.pores->sizes.volume.front(), found.volume);
          }
}

TEST(Porosimetry, agrees_with_the_definition_for_measured_voxels) {
  bool some_of_64_bits = false;
  for (const Spacing& spacing : distance_testing::measured_spacings())
    for (const Shape& shape : {Shape{7, 13, 20, 3}, Shape{1, 14, 30, 2}})
      for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
        for (const Faces& inlet : {Faces{.y_high = true}, Faces{.y_low = true, .x_high = true}})
          for (const bool inside : {false, true}) {
            Image object = random_object(shape, 0.01, 3);
            object.spacing = spacing;
            const Image domain = inside ? random_object(shape, 0.05, 5) : Image();
            distance_testing::clip(object, domain);
            bool through = false;
            Porosimetry found;
            const auto expected = reference(object, {inlet, border}, through, domain);
            EXPECT_TRUE(invasion(object, {inlet, border}, found, domain) == expected) << to_string(shape);
            some_of_64_bits |= found.balls.largest_square >= std::uint64_t{1} << 31;
          }
  EXPECT_TRUE(some_of_64_bits);
}

TEST(Porosimetry, a_bottle_is_filled_through_its_neck) {
  // Along z: a neck of 3 x 3, then a body of 11 x 11.
  Image object(Type::Bool, {20, 13, 13, 3});
  for (std::int64_t z = 0; z < 19; ++z) {
    const std::int64_t half = z < 8 ? 1 : 5;
    for (std::int64_t y = 6 - half; y <= 6 + half; ++y)
      for (std::int64_t x = 6 - half; x <= 6 + half; ++x) object.row<std::uint64_t>(z, y)[0] |= std::uint64_t{1} << x;
  }
  Porosimetry found;
  (void)invasion(object, {}, found);
  EXPECT_EQ(found.balls.largest_square, 4U);  // the neck lets R = 2 in
  EXPECT_EQ(found.invaded, found.volume);
  EXPECT_FALSE(found.breakthrough);
  EXPECT_GT(ball_granulometry({}, object).largest_square, 30U);
}

TEST(Porosimetry, no_inlet_is_the_first_face_and_all_are_those_that_there_are) {
  EXPECT_EQ(inlet_faces({}, 3), (Faces{.z_low = true}));
  EXPECT_EQ(inlet_faces({}, 2), (Faces{.y_low = true}));
  EXPECT_EQ(inlet_faces({true, true, true, true, true, true}, 2), (Faces{false, false, true, true, true, true}));
  EXPECT_THROW((void)inlet_faces({.z_low = true}, 2), InputError);
  EXPECT_THROW((void)inlet_faces({.z_high = true, .x_low = true}, 2), InputError);
  for (const Shape& shape : {Shape{1, 15, 16, 2}, Shape{5, 6, 17, 3}}) {
    const Image object = random_object(shape, 0.2, 1);
    const Faces first = shape.rank == 2 ? Faces{.y_low = true} : Faces{.z_low = true};
    const Faces all = {shape.rank == 3, shape.rank == 3, true, true, true, true};
    EXPECT_EQ(porosimetry({}, object).balls.sizes.volume, porosimetry({}, object, {first}).balls.sizes.volume);
    EXPECT_EQ(porosimetry({}, object, {Faces{true, true, true, true, true, true}}).balls.sizes.volume,
              porosimetry({}, object, {all}).balls.sizes.volume);
  }
}

TEST(Porosimetry, refuses_what_cannot_be_an_inlet) {
  const Image object = random_object({4, 5, 6, 3}, 0.2, 1);
  EXPECT_THROW((void)porosimetry({}, object, {}, {}, Image(Type::Bool, {3, 5, 6, 3})), InputError);
  EXPECT_THROW((void)porosimetry({}, object, {}, {}, Image(Type::U8, {4, 5, 6, 3})), InputError);
  EXPECT_THROW((void)porosimetry({}, object, {Faces{true}, {}, BallConvention::Fiji}), InputError);
  EXPECT_THROW((void)porosimetry({}, Image(Type::U8, {2, 2, 2})), InputError);
  EXPECT_THROW((void)porosimetry({}, random_object({1, 5, 6, 2}, 0.2, 1), {Faces{.z_low = true}}), InputError);
  EXPECT_THROW((void)porosimetry({}, random_object({4, 5, 6, 3}, 0, 1), {Faces{true}, DomainBorder::Neutral}),
               InputError);
}

TEST(Porosimetry, pressure_is_that_of_washburn) {
  EXPECT_NEAR(washburn_pressure(1e-6, 0.48, 140), 735402.7, 1);
  EXPECT_NEAR(pressure_at(1, {1, 1, 1, "um"}, 0.48, 140).value_or(0), 735402.7, 1);
  EXPECT_NEAR(pressure_at(1, {1, 1, 1, "mm"}, 0.48, 140).value_or(0), 735.4027, 1e-3);
  EXPECT_FALSE(pressure_at(1, {}, 0.48, 140));
  EXPECT_FALSE(pressure_at(0, {1, 1, 1, "um"}, 0.48, 140));
}

TEST(Porosimetry, rows_say_what_has_been_invaded) {
  Image object(Type::Bool, {6, 5, 20, 3}, {2, 2, 2, "um"});
  for (std::int64_t z = 0; z < 6; ++z)
    for (std::int64_t y = 0; y < 5; ++y) object.row<std::uint64_t>(z, y)[0] = 0x1fU | (z == 3 && y == 2 ? 0x400U : 0U);
  const Porosimetry found = porosimetry({}, object, {Faces{.z_low = true}, DomainBorder::Neutral});
  EXPECT_EQ(found.volume, 151);
  EXPECT_EQ(found.invaded_at(0), 150);  // all but a hole of one voxel
  EXPECT_EQ(found.invaded_at(found.rows() - 1), 0);
  EXPECT_EQ(found.radius(2), 4);
  EXPECT_NEAR(found.never_reached(), 1.0 / 151, 1e-12);
}

}  // namespace
}  // namespace tamis
