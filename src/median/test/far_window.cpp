// Windows that lie beyond the image from everywhere: what lies between takes no memory, and the answer is the
// definition's.
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "median/test/testing.hpp"

namespace tamis {
namespace {

using namespace median_testing;

TEST(FarWindow, sees_what_the_definition_says) {
  for (const int rank : {2, 3}) {
    const Image image = random_image(Type::U8, {rank == 2 ? 1 : 3, 5, 7, rank}, 11);
    for (const std::int64_t far : {5, 7, 8, 13, 14, 15, 29, 1000, 1003}) {
      for (const Border& border : {Border::reflect(), Border::nearest(), Border::constant(9), Border::shrink(),
                                   Border::mirror(), Border::wrap()}) {
        for (const Offset& by : {Offset{0, 0, far}, Offset{0, -far, 0}, Offset{0, far, -far}}) {
          MedianOptions options;
          options.window = StructuringElement::rect(3, 2).shifted(by);
          options.border = border;
          EXPECT_EQ(first_difference(median({}, image, options), reference(image, options)), -1) << to_text(options);
        }
      }
    }
  }
}

/// Along an axis of one sample a border shows that sample again and again.
TEST(FarWindow, on_axes_of_one_sample_sees_what_the_definition_says) {
  unsigned seed = 60;
  for (const Type type : filter_types) {
    for (const Shape& shape : {Shape{1, 1, 90, 2}, Shape{1, 90, 1, 2}, Shape{1, 9, 30, 3}, Shape{70, 1, 1, 3}}) {
      Image image = random_image(type, shape, ++seed);
      if (type == Type::F32) image.row<float>(shape.z / 2, 0)[shape.x / 2] = std::numeric_limits<float>::quiet_NaN();
      for (const Border& border : {Border::reflect(), Border::nearest(), Border::constant(1), Border::shrink(),
                                   Border::mirror(), Border::wrap()}) {
        MedianOptions options;
        options.nan = NanPolicy::Ignore;
        options.window = shape.rank == 2 ? StructuringElement::rect(4, 5) : StructuringElement::box(3, 4, 2);
        options.border = border;
        for (const double percentile : {0., 33.3, 50., 75., 100.}) {
          options.percentile = percentile;
          EXPECT_EQ(first_difference(median({}, image, options), reference(image, options)), -1) << to_text(options);
        }
      }
    }
  }
}

/// Samples far apart, between which there is nothing: some see the same, and count as often.
TEST(FarWindow, of_few_samples_far_apart_sees_what_the_definition_says) {
  unsigned seed = 40;
  for (const int rank : {2, 3}) {
    const Image image = random_image(Type::U8, {rank == 2 ? 1 : 3, 5, 7, rank}, ++seed);
    for (const Border& border : {Border::reflect(), Border::nearest(), Border::constant(9), Border::shrink(),
                                 Border::mirror(), Border::wrap()}) {
      for (const std::int64_t far : {140, 1000, 1001, 1007}) {
        for (const Offset& along :
             {Offset{0, 0, 1}, Offset{0, 1, 0}, Offset{0, 1, -1}, Offset{rank == 3 ? 1 : 0, 1, 2}}) {
          std::vector<OffsetSet::Run> runs;
          for (std::int64_t i = -2; i <= 3; ++i) {
            runs.push_back({{i * far * along.z, i * far * along.y, i * far * along.x}, 1 + (i & 1)});
          }
          MedianOptions options;
          options.window = StructuringElement(OffsetSet(runs), rank);
          options.border = border;
          for (const double percentile : {30., 50., 80.}) {
            options.percentile = percentile;
            EXPECT_EQ(first_difference(median({}, image, options), reference(image, options)), -1) << to_text(options);
          }
        }
      }
    }
  }
}

/// Every second sample of a square, so that no two runs make a rectangle, and of a part of it.
TEST(FarWindow, of_very_many_runs_is_cut_to_what_sees_the_image_where_it_shrinks) {
  std::vector<OffsetSet::Run> runs;
  for (std::int64_t y = -150; y <= 150; ++y) {
    for (std::int64_t x = y % 2 - 200; x < 90; x += 2) runs.push_back({{0, y, x}, 1});
  }
  MedianOptions options;
  options.window = StructuringElement(OffsetSet(runs), 2);
  options.border = Border::shrink();
  for (const Type type : filter_types) {
    for (const Shape& shape : {Shape{1, 5, 7, 2}, Shape{1, 1, 130, 2}, Shape{1, 9, 1, 2}}) {
      const Image image = random_image(type, shape, 13);
      for (const double percentile : {0., 20., 50., 100.}) {
        options.percentile = percentile;
        EXPECT_EQ(first_difference(median({}, image, options), reference(image, options)), -1) << to_text(options);
      }
      // What sees nothing leaves the samples as they are.
      MedianOptions beyond = options;
      beyond.window = beyond.window.shifted({0, 0, 1000});
      EXPECT_EQ(first_difference(median({}, image, beyond), grid_of(image)), -1);
    }
  }
}

TEST(FarWindow, of_a_smoother_is_cut_too) {
  for (const Type type : filter_types) {
    const Image image = random_image(type, {3, 4, 70, 3}, 14);
    SmoothOptions options{.width = 65535, .height = 65535, .depth = 65535, .border = Border::shrink()};
    SmoothOptions enough = options;
    enough.width = 2 * 70 - 1, enough.height = 7, enough.depth = 5;
    EXPECT_EQ(first_difference(smooth({}, image, options), grid_of(smooth({}, image, enough))), -1);
    const Image line = random_image(type, {1, 1, 70, 2}, 14);
    options.depth = 1, enough.depth = 1;
    EXPECT_EQ(first_difference(smooth({}, line, options), grid_of(smooth({}, line, enough))), -1);
  }
}

TEST(FarWindow, of_few_samples_far_apart_takes_no_memory) {
  const Image image = random_image(Type::U16, {1, 64, 64, 2}, 12);
  for (const Border& border : {Border::reflect(), Border::nearest(), Border::constant(9), Border::shrink(),
                               Border::mirror(), Border::wrap()}) {
    MedianOptions options;
    options.window =
        StructuringElement(OffsetSet({{{0, -20'000'000, 0}, 1}, {{0, 0, 20'000'000}, 2}, {{0, 0, 0}, 1}}), 2);
    options.border = border;
    Context context;
    context.memory_bytes = 1 << 22;
    EXPECT_NO_THROW(static_cast<void>(median(context, image, options)));
  }
}

TEST(FarWindow, of_two_billion_samples_takes_no_memory) {
  const Image image = random_image(Type::U16, {2, 9, 11, 3}, 12);
  for (const Border& border : {Border::reflect(), Border::nearest(), Border::constant(9), Border::shrink(),
                               Border::mirror(), Border::wrap()}) {
    MedianOptions options;
    options.window = StructuringElement::ball(1).shifted({largest_offset - 1, 1 - largest_offset, 77});
    options.border = border;
    Context context;
    context.memory_bytes = 1 << 20;
    EXPECT_NO_THROW(static_cast<void>(median(context, image, options)));
  }
}

}  // namespace
}  // namespace tamis
