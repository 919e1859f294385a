#include <tamis/median.hpp>

#include <algorithm>
#include <cmath>
#include <stop_token>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>

#include "median/test/testing.hpp"

namespace tamis {
namespace {

using namespace median_testing;

const std::vector<Border> borders = {Border::reflect(),   Border::nearest(), Border::shrink(),
                                     Border::constant(1), Border::mirror(),  Border::wrap()};

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

TEST(Median, bits_are_counted_in_any_window_on_every_instruction_set) {
  const std::vector<std::string> windows = {"square:3",   "square:31",  "rect:70x2",
                                            "rect:1x130", "rect:200x1", "disk:7",
                                            "line:20@30", "cross:2",    "shift(rect:9x3,40,-9)",
                                            "square:64"};
  const Image bits = random_image(Type::Bool, {1, 40, 333, 2}, 8);
  Image bytes(Type::U8, bits.shape());
  for (std::int64_t y = 0; y < bits.shape().y; ++y) {
    for (std::int64_t x = 0; x < bits.shape().x; ++x) bytes.row<std::uint8_t>(0, y)[x] = bits.bit(0, y, x);
  }
  for (const std::string& window : windows) {
    for (const Border& border : borders) {
      for (const double percentile : {0.0, 37.0, 100.0}) {
        const MedianOptions options{window, percentile, 1, border, NanPolicy::Refuse};
        const auto wanted = grid_of(median(Context{}, bytes, options));
        for (const Context& context : morphology_testing::instruction_sets()) {
          EXPECT_EQ(-1, first_difference(median(context, bits, options), wanted))
              << to_text(options) << " " << context.describe();
        }
      }
    }
  }
}

TEST(Median, threads_and_memory_change_nothing) {
  for (const Type type : {Type::Bool, Type::U8, Type::F32}) {
    const Image image = random_image(type, {9, 130, 150, 3}, 11);
    for (const char* const window : {"cube:3", "square:21", "disk:6", "ball:2"}) {
      const MedianOptions options{window, 50, 1, Border::shrink(), NanPolicy::Refuse};
      Context context;
      context.threads = 1;
      const auto wanted = grid_of(median(context, image, options));
      for (const int threads : {2, 7}) {
        context.threads = threads;
        context.memory_bytes = threads == 7 ? 1 << 20 : 0;
        EXPECT_EQ(-1, first_difference(median(context, image, options), wanted)) << to_text(options);
      }
    }
  }
}

TEST(Median, progress_is_reported_to_the_end_and_can_be_stopped) {
  const Image image = random_image(Type::U8, {1, 300, 200, 2}, 12);
  Context context;
  std::int64_t done = 0, total = 0;
  context.on_progress = [&](const Progress& progress) {
    done = std::max(done, progress.done);
    total = progress.total;
  };
  context.threads = 1;
  (void)median(context, image, {.window = "disk:3", .iterations = 2});
  EXPECT_EQ(600, total);
  EXPECT_EQ(total, done);
  std::stop_source stop;
  context.on_progress = [&](const Progress& progress) {
    if (progress.done > 0) stop.request_stop();
  };
  context.cancel = stop.get_token();
  EXPECT_THROW((void)median(context, image, {.window = "disk:3", .iterations = 100}), Cancelled);
}

TEST(Median, windows_larger_than_the_image_are_as_defined) {
  for (const Type type : filter_types) {
    const Image image = random_image(type, {1, 5, 9, 2}, 3);
    for (const Border& border : borders) expect_definition(image, {"square:31", 50, 1, border, NanPolicy::Refuse});
  }
}

TEST(Median, minima_and_maxima_of_windows_larger_than_the_image_are_as_defined) {
  for (const Shape& shape : {Shape{1, 5, 9, 2}, Shape{3, 4, 5, 3}, Shape{1, 1, 7, 2}}) {
    const Image image = random_image(Type::U8, shape, 4);
    for (const char* const window : {"square:31", "disk:20", "shift(square:13,9,-7)", "rect:40x2"}) {
      for (const Border& border : borders) {
        for (const double percentile : {0.0, 0.01, 99.99, 100.0}) {
          expect_definition(image, {window, percentile, 1, border, NanPolicy::Refuse});
        }
      }
    }
  }
  const Image volume = random_image(Type::F32, {3, 4, 5, 3}, 5, 0.3);
  for (const Border& border : borders) expect_definition(volume, {"box:13x3x9", 100, 1, border, NanPolicy::Ignore});
}

TEST(Median, of_windows_far_larger_than_the_image_is_refused_and_minima_are_soon_done) {
  const Image image = random_image(Type::U8, {10, 11, 12, 3}, 6);
  for (const Border& border : borders) {
    const MedianOptions median_of{"cube:301", 50, 1, border, NanPolicy::Refuse};
    if (border.kind == Border::Kind::Neutral) {
      EXPECT_NO_THROW(static_cast<void>(median({}, image, median_of)));
    } else {
      EXPECT_THROW(static_cast<void>(median({}, image, median_of)), InputError) << to_string(border);
    }
    for (const double percentile : {0.0, 100.0}) {
      MedianOptions extreme = median_of, twice = median_of;
      extreme.percentile = twice.percentile = percentile;
      twice.window = "cube:25";  // sees all that there is
      EXPECT_EQ(first_difference(median({}, image, extreme), grid_of(median({}, image, twice))), -1)
          << to_string(border);
    }
  }
}

TEST(Median, of_windows_larger_than_a_thin_volume_is_no_reason_to_refuse) {
  const Image thin = random_image(Type::U8, {2, 70, 80, 3}, 7);
  for (const Border& border : borders) {
    EXPECT_NO_THROW(static_cast<void>(median({}, thin, {"cube:41", 50, 1, border, NanPolicy::Refuse})));
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

TEST(Median, masks_may_have_holes_and_lie_off_their_origin) {
  const OffsetSet ring({{{0, -2, -2}, 5}, {{0, -1, -2}, 1}, {{0, -1, 2}, 1}, {{0, 3, -1}, 2}});
  const OffsetSet far({{{0, 4, 7}, 2}, {{0, 5, 9}, 1}});
  for (const Type type : filter_types) {
    const Image image = random_image(type, {1, 23, 71, 2}, 9);
    for (const OffsetSet& mask : {ring, far}) {
      for (const Border& border : borders) {
        for (const double percentile : {0.0, 20.0, 50.0, 99.9, 100.0}) {
          expect_definition(image, {StructuringElement(mask, 2), percentile, 1, border, NanPolicy::Refuse});
        }
      }
    }
  }
}

TEST(Median, edges_of_any_length_are_as_defined) {
  for (const Type type : {Type::U8, Type::I16, Type::F32}) {
    const Image image = random_image(type, {1, 31, 67, 2}, 10);
    for (std::int64_t edge = 1; edge <= 33; edge += small_scale() ? 8 : 1) {
      expect_definition(image, {StructuringElement::rect(edge, 3), 50, 1, Border::reflect(), NanPolicy::Refuse});
      expect_definition(image, {StructuringElement::rect(2, edge), 50, 1, Border::shrink(), NanPolicy::Refuse});
    }
  }
}

/// Constant, two values, ramps, rows of NaN: histograms with one bin, ties, and windows that see no number.
TEST(Median, images_without_chance_are_as_defined) {
  Sampled some(11, 2);
  for (const Type type : {Type::U8, Type::U16, Type::F32}) {
    for (const int kind : {0, 1, 2, 3}) {
      Image image(type, {1, 37, 83, 2});
      for (std::int64_t y = 0; y < image.shape().y; ++y) {
        for (std::int64_t x = 0; x < image.shape().x; ++x) {
          double value = 17;
          if (kind == 1) value = (x + y) % 2 == 0 ? 0 : 255;
          if (kind == 2) value = static_cast<double>(3 * x);
          if (kind == 3) value = type == Type::F32 && y % 9 < 4 ? std::nan("") : static_cast<double>(y * 5);
          morphology_testing::set(image, 0, y, x, value);
        }
      }
      for (const char* const window : {"square:3", "square:17", "disk:4", "shift(disk:2,90,-80)", "circle:70"}) {
        for (const Border& border : borders) {
          if (!some.skips()) expect_definition(image, {window, 50, 1, border, NanPolicy::Ignore});
        }
      }
    }
  }
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
  refused({"square:46341", 50, 1, Border::reflect(), NanPolicy::Refuse});  // 2^31 samples and some
  EXPECT_THROW((void)median(context, Image(), {}), InputError);
  EXPECT_THROW((void)median(context, Image(Type::F64, {1, 4, 4, 2}), {}), InputError);
  EXPECT_THROW((void)median(context, random_image(Type::F32, {1, 4, 4, 2}, 1, 0.5), {}), InputError);
}

}  // namespace
}  // namespace tamis
