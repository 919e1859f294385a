#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <tamis/deskew.hpp>
#include <tamis/error.hpp>

#include "core/test/scale.hpp"
#include "line/deskew/scores.hpp"
#include "line/test/deskew_testing.hpp"

namespace tamis {
namespace {

using deskew_testing::noise;
using deskew_testing::Stripes;
using deskew_testing::stripes;
using namespace line_detail;

constexpr std::array types{Type::Bool, Type::U8, Type::U16, Type::I16, Type::F32};

double angle_of(const Image& page, DeskewOptions options = {}) {
  return find_skew({}, page, options).angle.value_or(std::numeric_limits<double>::quiet_NaN());
}

Stripes for_type(Type type, double angle) {
  Stripes what{angle};
  if (type == Type::I16) what.ground = -100, what.ink = -4000;
  if (type == Type::U16) what.ground = 51000, what.ink = 800;
  if (type == Type::F32) what.ground = 0.8, what.ink = 0.1;
  return what;
}

TEST(Deskew, the_angle_of_stripes_is_found_within_two_hundredths_in_every_type) {
  Sampled some(5);
  for (const Type type : types) {
    for (const double angle : {-14.3, -3.77, -0.1, 0.0, 0.05, 1.0, 7.33, 14.9}) {
      if (some.skips()) continue;
      EXPECT_NEAR(angle_of(stripes(type, 600, 500, for_type(type, angle))), angle, 0.02) << name(type) << " " << angle;
    }
  }
}

TEST(Deskew, closings_find_the_angle_of_stripes_within_a_tenth) {
  DeskewOptions options;
  options.method = DeskewMethod::Closing;
  for (const double angle : {-12.2, -4.0, 3.3, 9.87}) {
    const Image page = stripes(Type::U8, 700, 500, {angle});
    const Skew skew = find_skew({}, page, options);
    ASSERT_TRUE(skew.angle.has_value()) << angle;
    EXPECT_NEAR(*skew.angle, angle, 0.1);
    EXPECT_EQ(skew.method, DeskewMethod::Closing);
  }
}

TEST(Deskew, positive_means_that_the_text_rises_to_the_right) {
  Image page(Type::U8, {1, 200, 300, 2});
  std::fill_n(page.row<std::uint8_t>(0, 0), page.shape().count(), std::uint8_t{255});
  for (const std::int64_t top : {60, 100, 140}) {
    for (std::int64_t x = 30; x < 270; ++x) page.row<std::uint8_t>(0, top + 7 - x / 20)[x] = 0;
  }
  EXPECT_NEAR(angle_of(page), std::atan(1.0 / 20) * 57.29578, 0.1);
}

TEST(Deskew, bright_ink_on_a_dark_page_says_the_same) {
  Stripes what{4.5};
  std::swap(what.ink, what.ground);
  EXPECT_NEAR(angle_of(stripes(Type::U8, 600, 500, what)), 4.5, 0.02);
}

TEST(Deskew, a_page_on_its_side_keeps_its_angle_and_is_said_to_lie) {
  Stripes what{-6.25};
  what.upright = true;
  const Skew skew = find_skew({}, stripes(Type::U8, 500, 600, what), {});
  ASSERT_TRUE(skew.angle.has_value());
  EXPECT_NEAR(*skew.angle, -6.25, 0.02);
  EXPECT_TRUE(skew.sideways);
}

TEST(Deskew, pages_larger_than_what_is_looked_at_are_reduced_and_exact) {
  EXPECT_NEAR(angle_of(stripes(Type::U8, 3100, 2300, {2.345, 90, 11})), 2.345, 0.01);
  EXPECT_NEAR(angle_of(stripes(Type::Bool, 3100, 2300, {2.345, 90, 11})), 2.345, 0.01);
}

TEST(Deskew, blank_pages_and_noise_are_undecided) {
  Image blank(Type::U8, {1, 300, 400, 2});
  for (const DeskewMethod method : {DeskewMethod::Fused, DeskewMethod::Projection, DeskewMethod::Closing}) {
    DeskewOptions options;
    options.method = method;
    EXPECT_FALSE(find_skew({}, blank, options).angle.has_value());
    const Skew skew = find_skew({}, noise(400, 300), options);
    EXPECT_FALSE(skew.angle.has_value()) << skew.confidence;
  }
  EXPECT_FALSE(find_skew({}, Image(Type::U8, {1, 1, 1, 2}), {}).angle.has_value());
  EXPECT_FALSE(find_skew({}, Image(Type::Bool, {1, 1, 5000, 2}), {}).angle.has_value());
}

TEST(Deskew, answers_are_no_more_than_a_step_past_the_largest_angle) {
  DeskewOptions options;
  options.max_angle = 5;
  EXPECT_NEAR(angle_of(stripes(Type::U8, 600, 500, {5.1}), options), 5.1, 0.02);
  for (const double angle : {5.3, 5.6, 7.0, 30.0}) {
    const Skew skew = find_skew({}, stripes(Type::U8, 600, 500, {angle}), options);
    EXPECT_LT(std::abs(skew.angle.value_or(0)), 5.25) << angle;
  }
}

TEST(Deskew, scores_are_of_the_angles_that_were_asked_for) {
  DeskewOptions options;
  options.max_angle = 2;
  options.step = 0.5;
  const Skew skew = find_skew({}, stripes(Type::U8, 600, 500, {1.1}), options);
  EXPECT_EQ(skew.angles, (std::vector<double>{-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2}));
  ASSERT_EQ(skew.scores.size(), skew.angles.size());
  EXPECT_EQ(index_of_largest(skew.scores), 6U);
  EXPECT_NEAR(skew.angle.value_or(0), 1.1, 0.02);
}

TEST(Deskew, threads_change_nothing) {
  const Image page = stripes(Type::U8, 600, 500, {3.21});
  for (const DeskewMethod method : {DeskewMethod::Projection, DeskewMethod::Closing}) {
    DeskewOptions options;
    options.method = method;
    Context one;
    one.threads = 1;
    Context many;
    many.threads = 7;
    const Skew a = find_skew(one, page, options);
    const Skew b = find_skew(many, page, options);
    EXPECT_EQ(a.angle, b.angle);
    EXPECT_EQ(a.scores, b.scores);
  }
}

TEST(Deskew, what_cannot_be_done_is_refused) {
  const Image page = noise(40, 30);
  const auto refused = [](const Image& image, double max_angle, double step, std::int64_t length) {
    DeskewOptions options;
    options.max_angle = max_angle;
    options.step = step;
    options.length = length;
    EXPECT_THROW(static_cast<void>(find_skew({}, image, options)), InputError);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused(page, 0, 0.25, 9);
  refused(page, 46, 0.25, 9);
  refused(page, nan, 0.25, 9);
  refused(page, 15, 0, 9);
  refused(page, 15, 1.5, 9);
  refused(page, 15, nan, 9);
  refused(page, 15, 1e-25, 9);  // more angles than anybody waits for
  refused(page, 15, 1e-7, 9);
  refused(page, 45, 0.0009, 9);
  refused(page, 15, 0.25, 1);
  refused({}, 15, 0.25, 9);
  refused(Image(Type::I32, {1, 9, 9, 2}), 15, 0.25, 9);
  refused(Image(Type::U8, {2, 9, 9, 3}), 15, 0.25, 9);
  Image spoilt(Type::F32, {1, 9, 9, 2});
  spoilt.row<float>(0, 3)[3] = std::numeric_limits<float>::quiet_NaN();
  refused(spoilt, 15, 0.25, 9);
}

TEST(Deskew, a_straightened_page_is_straight_in_every_channel) {
  for (const bool expand : {false, true}) {
    DeskewOptions options;
    options.expand = expand;
    std::vector<Image> channels;
    for (const double ground : {250.0, 240.0, 200.0}) {
      Stripes what{-5.5};
      what.ground = ground;
      channels.push_back(stripes(Type::U8, 600, 500, what));
    }
    const Straightened straight = deskew({}, channels, options);
    ASSERT_EQ(straight.channels.size(), 3U);
    const Shape expected = expand ? rotated_shape(channels[0].shape(), 5.5) : channels[0].shape();
    for (const Image& channel : straight.channels) {
      EXPECT_EQ(channel.shape().x, expected.x);
      EXPECT_NEAR(angle_of(channel), 0, 0.02);
    }
    // The corner is the ground of each channel.
    EXPECT_EQ(straight.channels[0].row<std::uint8_t>(0, 0)[0], 250);
    EXPECT_EQ(straight.channels[2].row<std::uint8_t>(0, 0)[0], 200);
  }
  const std::vector<Image> blank(1);
  EXPECT_THROW(static_cast<void>(deskew({}, blank)), InputError);
}

TEST(Deskew, an_undecided_page_is_not_turned) {
  std::vector<Image> channels;
  channels.push_back(noise(100, 90));
  EXPECT_TRUE(deskew({}, channels).channels.empty());
}

TEST(Deskew, luma_is_rounded_and_channels_have_to_be_alike) {
  std::vector<Image> channels;
  for (const std::uint8_t value : {200, 100, 7}) {
    channels.emplace_back(Type::U8, Shape{1, 1, 1, 2});
    channels.back().row<std::uint8_t>(0, 0)[0] = value;
  }
  EXPECT_EQ(page_of(channels).row<std::uint8_t>(0, 0)[0], 119);  // 59.8 + 58.7 + 0.798
  channels.emplace_back(Type::U8, Shape{1, 1, 2, 2});
  EXPECT_THROW(static_cast<void>(page_of(channels)), InputError);
  EXPECT_THROW(static_cast<void>(page_of({})), InputError);
}

TEST(Deskew, the_background_is_the_paper_and_not_the_black_around_it) {
  Image page(Type::U8, {1, 100, 100, 2});
  for (std::int64_t i = 0; i < 10000; ++i) {
    page.row<std::uint8_t>(0, 0)[i] = i < 3000 ? 4 : static_cast<std::uint8_t>(150 + i % 101);
  }
  std::vector<Image> channels;
  channels.push_back(std::move(page));
  EXPECT_NEAR(background({}, channels, channels[0])[0], 200, 2);
  for (const Type type : types) {
    channels[0] = stripes(type, 100, 100, for_type(type, 3));
    const double expected = type == Type::Bool ? 1 : for_type(type, 3).ground;
    EXPECT_NEAR(background({}, channels, channels[0])[0], expected, 1e-4) << name(type);
  }
}

}  // namespace
}  // namespace tamis
