// What a hostile text, mask or sum asks of an element, and where it ends.
#include <limits>
#include <stop_token>
#include <string>

#include <gtest/gtest.h>
#include <tamis/element.hpp>
#include <tamis/error.hpp>

#include "morphology/element/catalogue.hpp"

namespace tamis {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

Image mask_of_ones() {
  Image mask(Type::U8, {2, 3, 4, 3});
  for (std::int64_t i = 0; i < mask.bytes(); ++i) mask.row<std::uint8_t>(0, 0)[i] = 1;
  return mask;
}

TEST(ElementLimits, an_origin_may_be_as_far_as_the_largest_offset_and_no_farther) {
  const Image mask = mask_of_ones();
  for (const std::int64_t far : {largest_offset, -largest_offset + 3}) {
    const OffsetSet set = StructuringElement::from_mask(mask, {0, 0, far}).sum(3);
    EXPECT_EQ(set.count(), 24);
    EXPECT_EQ(set.box().low.x, -far);
  }
  for (const std::int64_t far : {largest_offset + 1, -largest_offset - 1, most, most - 1, least, least + 1}) {
    EXPECT_THROW(static_cast<void>(StructuringElement::from_mask(mask, {0, 0, far})), InputError) << far;
    EXPECT_THROW(static_cast<void>(StructuringElement::from_mask(mask, {0, far, 0})), InputError) << far;
    EXPECT_THROW(static_cast<void>(StructuringElement::from_mask(mask, {far, 0, 0})), InputError) << far;
  }
}

TEST(ElementLimits, runs_and_boxes_that_reach_too_far_are_refused) {
  for (const OffsetSet::Run& run :
       {OffsetSet::Run{{0, 0, 0}, most}, OffsetSet::Run{{0, 0, most}, most}, OffsetSet::Run{{0, 0, least}, most},
        OffsetSet::Run{{least, 0, 0}, 1}, OffsetSet::Run{{0, 0, largest_offset}, 2}}) {
    EXPECT_THROW(OffsetSet(std::vector<OffsetSet::Run>{run}), InputError);
  }
  EXPECT_EQ(OffsetSet(std::vector<OffsetSet::Run>{{{0, 0, -largest_offset}, 2 * largest_offset + 1}}).count(),
            2 * largest_offset + 1);
  EXPECT_THROW(OffsetSet(OffsetBox{{0, 0, least}, {0, 0, most}}), InputError);
  EXPECT_THROW(OffsetSet(OffsetBox{{0, 0, 0}, {0, most, 0}}), InputError);
}

TEST(ElementLimits, sums_of_offsets_stay_at_the_ends_of_their_type) {
  EXPECT_EQ((Offset{most, least, 5} + Offset{1, -1, -7}), (Offset{most, least, -2}));
  EXPECT_EQ((Offset{least, most, 5} - Offset{1, -1, 7}), (Offset{least, most, -2}));
  EXPECT_EQ(-(Offset{least, most, 5}), (Offset{most, -most, -5}));
  EXPECT_EQ(
      (OffsetBox{{-largest_offset, -largest_offset, -largest_offset}, {largest_offset, largest_offset, largest_offset}}
           .count()),
      most);
}

TEST(ElementLimits, translations_and_sums_do_not_lead_past_the_largest_offset) {
  const StructuringElement far = StructuringElement::square(1).shifted({0, 0, largest_offset - 1});
  EXPECT_EQ(far.shifted({0, 0, 1}).sum(2).box().high.x, largest_offset);
  EXPECT_THROW(static_cast<void>(far.shifted({0, 0, 2})), InputError);
  EXPECT_THROW(static_cast<void>(far.shifted({0, 0, most})), InputError);
  EXPECT_THROW(static_cast<void>((far + StructuringElement::square(5)).sum(2)), InputError);
  const StructuringElement cross = StructuringElement::cross(2).shifted({0, 0, most}).shifted({0, 0, most});
  EXPECT_THROW(static_cast<void>(cross.sum(2)), InputError);
}

TEST(ElementLimits, parentheses_and_sums_have_an_end) {
  EXPECT_EQ(StructuringElement(repeated("(", 64) + "square:3" + repeated(")", 64)).sum(2).count(), 9);
  EXPECT_THROW(StructuringElement(repeated("(", 65) + "square:3" + repeated(")", 65)), InputError);
  EXPECT_THROW(StructuringElement(repeated("reflect(", 60'000) + "square:3" + repeated(")", 60'000)), InputError);
  EXPECT_THROW(StructuringElement(repeated("(", 100'000)), InputError);
  EXPECT_EQ(StructuringElement("square:2" + repeated("+square:2", 999)).sum(2).count(), 1001 * 1001);
  EXPECT_THROW(StructuringElement("square:2" + repeated("+square:2", 1000)), InputError);
  EXPECT_THROW(StructuringElement("box:1x2000x2000" + repeated("+box:1x2000x2000", 4)), InputError);
}

TEST(ElementLimits, a_sum_that_is_too_much_work_says_so_and_a_long_one_can_be_stopped) {
  const StructuringElement disks = StructuringElement::disk(100'000) + StructuringElement::disk(100'000);
  EXPECT_THROW(static_cast<void>(disks.sum(2)), InputError);
  const StructuringElement balls("ball:9+ball:9");
  EXPECT_THROW(static_cast<void>(balls.sum(3, {1000, {}})), InputError);
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(static_cast<void>(balls.sum(3, {1 << 26, source.get_token()})), Cancelled);
}

TEST(ElementLimits, sums_put_together_in_pieces_are_the_same) {
  // More unions than are kept at once.
  const StructuringElement sum("ball:17+ball:18");
  const OffsetSet set = sum.sum(3);
  for (const Offset& a : {Offset{0, 0, 17}, Offset{17, 0, 0}, Offset{10, 10, 9}}) {
    for (const Offset& b : {Offset{0, 18, 0}, Offset{-18, 0, 0}, Offset{10, 10, 11}}) EXPECT_TRUE(set.contains(a + b));
  }
  EXPECT_FALSE(set.contains({0, 0, 36}));
  EXPECT_EQ(set, set.reflected());
}

TEST(ElementLimits, a_square_without_corners_is_a_diamond_and_a_square) {
  using namespace morphology_detail;
  SumLimits limits;
  for (std::int64_t flat = 0; flat < 6; ++flat) {
    for (std::int64_t radius = flat; radius < 9; ++radius) {
      const OffsetSet square(OffsetBox{{0, -flat, -flat}, {0, flat, flat}});
      EXPECT_EQ(bevelled_square_set(radius, flat), minkowski_sum(diamond_set(radius - flat), square, limits));
    }
  }
}

}  // namespace
}  // namespace tamis
