#include <tamis/median.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>

#include "median/median_testing.hpp"

namespace tamis {
namespace {

using namespace median_testing;

const std::vector<Border> borders = {Border::reflect(), Border::nearest(), Border::shrink(), Border::constant(1)};

void expect_definition(const Image& image, const MedianOptions& options) {
  const Image result = median(Context{}, image, options);
  EXPECT_EQ(-1, first_difference(result, reference(image, options)))
      << name(image.type()) << " " << to_string(image.shape()) << " " << to_text(options);
}

TEST(Median, any_window_rank_and_border_is_as_defined) {
  const std::vector<std::string> windows = {"square:3",
                                            "rect:4x2",
                                            "rect:1x7",
                                            "disk:3",
                                            "cross:2",
                                            "square:5",
                                            "circle:2",
                                            "line:9@30",
                                            "shift(square:3,4,-2)",
                                            "shift(square:1,5,0)"};
  for (const Type type : filter_types) {
    for (const Shape& shape : {Shape{1, 13, 37, 2}, Shape{1, 1, 19, 2}, Shape{1, 23, 1, 2}, Shape{3, 5, 7, 3}}) {
      const Image image = random_image(type, shape, 1);
      for (const std::string& window : windows) {
        for (const Border& border : borders) {
          for (const double percentile : {0.0, 30.0, 50.0, 100.0}) {
            expect_definition(image, {window, percentile, 1, border, NanPolicy::Refuse});
          }
        }
      }
    }
  }
}

TEST(Median, volumes_are_filtered_in_three_dimensions) {
  for (const Type type : filter_types) {
    const Image image = random_image(type, {6, 7, 19, 3}, 2);
    for (const char* const window : {"cube:3", "box:2x3x4", "ball:2", "box:1x1x5"}) {
      for (const Border& border : borders) expect_definition(image, {window, 50, 1, border, NanPolicy::Refuse});
    }
  }
}

TEST(Median, windows_larger_than_the_image_are_as_defined) {
  for (const Type type : filter_types) {
    const Image image = random_image(type, {1, 5, 9, 2}, 3);
    for (const Border& border : borders) expect_definition(image, {"square:31", 50, 1, border, NanPolicy::Refuse});
  }
}

TEST(Median, ignored_nan_is_left_out) {
  for (const double share : {0.1, 0.9, 1.0}) {
    const Image image = random_image(Type::F32, {1, 17, 23, 2}, 4, share);
    for (const Border& border : borders) expect_definition(image, {"square:3", 50, 1, border, NanPolicy::Ignore});
  }
}

TEST(Median, iterations_come_one_after_the_other) {
  for (const Type type : {Type::U8, Type::F32}) {
    const Image image = random_image(type, {1, 17, 23, 2}, 5);
    for (const std::int64_t iterations : {2, 3, 8}) {
      expect_definition(image, {"cross:1", 50, iterations, Border::reflect(), NanPolicy::Refuse});
    }
  }
}

TEST(Median, a_smoother_is_medians_along_one_axis_after_the_other) {
  const Image image = random_image(Type::U16, {5, 21, 33, 3}, 6);
  const Context context;
  const Image high = median(context, image, {.window = StructuringElement::rect(1, 7)});
  const Image wide = median(context, high, {.window = StructuringElement::rect(9, 1)});
  const Image deep = median(context, wide, {.window = StructuringElement::box(1, 1, 3)});
  SmoothOptions options;
  options.width = 9;
  options.height = 7;
  options.depth = 3;
  EXPECT_EQ(-1, first_difference(smooth(context, image, options), grid_of(deep)));
}

TEST(Median, sizes_are_windows) {
  EXPECT_EQ(window_of_size("5", 2), StructuringElement::square(5));
  EXPECT_EQ(window_of_size("5", 3), StructuringElement::cube(5));
  EXPECT_EQ(window_of_size("7x3", 3), StructuringElement::rect(7, 3));
  EXPECT_EQ(window_of_size("7x3x2", 3), StructuringElement::box(7, 3, 2));
  for (const char* wrong : {"", "0", "-3", "3x", "x3", "3x3x3x3", "3.5", "three", "7X3"}) {
    EXPECT_THROW((void)window_of_size(wrong, 3), InputError) << wrong;
  }
  EXPECT_THROW((void)window_of_size("3x3x3", 2), InputError);
}

TEST(Median, bad_input_is_refused) {
  const Context context;
  const Image image(Type::U8, {1, 4, 4, 2});
  const auto refused = [&](const MedianOptions& options) {
    EXPECT_THROW((void)median(context, image, options), InputError) << to_text(options);
  };
  refused({"square:3", -1, 1, Border::reflect(), NanPolicy::Refuse});
  refused({"square:3", 100.5, 1, Border::reflect(), NanPolicy::Refuse});
  refused({"square:3", 50, 0, Border::reflect(), NanPolicy::Refuse});
  refused({"square:3", 50, 1, Border::fit(), NanPolicy::Refuse});
  refused({"square:3", 50, 1, Border::constant(256), NanPolicy::Refuse});
  refused({"cube:3", 50, 1, Border::reflect(), NanPolicy::Refuse});
  EXPECT_THROW((void)median(context, Image(), {}), InputError);
  EXPECT_THROW((void)median(context, Image(Type::F64, {1, 4, 4, 2}), {}), InputError);
  EXPECT_THROW((void)median(context, random_image(Type::F32, {1, 4, 4, 2}, 1, 0.5), {}), InputError);
}

}  // namespace
}  // namespace tamis
