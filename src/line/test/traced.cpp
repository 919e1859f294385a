#include <limits>
#include <random>

#include <tamis/error.hpp>

#include "line/test/traced_testing.hpp"

namespace tamis {
namespace {

using namespace line_testing;
using morphology_testing::filter_types;
using morphology_testing::instruction_sets;
using morphology_testing::random_image;

constexpr Along all_moves[] = {Along::Erode, Along::Dilate, Along::Open, Along::Close};

TEST(TracedLines, openings_are_the_definition_at_all_lengths_and_angles) {
  const Image noise = random_image(Type::U8, {1, 17, 23, 2}, 1);
  const int step = by_scale(7, 2, 1);
  for (int half_degrees = 0; half_degrees < 360; half_degrees += step) {
    for (std::int64_t length = 1; length <= 64; length += step) {
      const TracedSegment segment = segment_of(length, half_degrees / 2.0, (half_degrees + length) % 3 == 0);
      ASSERT_NO_FATAL_FAILURE(expect_definition({}, Along::Open, segment, noise));
    }
  }
}

TEST(TracedLines, every_type_and_move_and_instruction_set_is_the_definition) {
  const std::vector<Context> contexts = instruction_sets();
  const std::vector<Shape> shapes = {{1, 1, 1, 2},   {1, 1, 40, 2},  {1, 37, 1, 2},  {1, 2, 150, 2},
                                     {1, 130, 3, 2}, {1, 70, 90, 2}, {1, 33, 64, 2}, {2, 21, 35, 3}};
  std::mt19937 random(7);
  const int rounds = by_scale(8, 30, 60);
  for (const Shape& shape : shapes) {
    for (const Type type : filter_types) {
      const Image noise = random_image(type, shape, 2);
      for (int round = 0; round < rounds; ++round) {
        TracedSegment segment =
            segment_of(1 + random() % (round % 8 == 0 ? 300 : 50), (random() % 720) / 4.0, round % 3 == 0);
        if (round % 5 == 0) segment.origin = static_cast<std::int64_t>(random()) % segment.length;
        const Along what = all_moves[random() % 4];
        const Context& context = contexts[random() % contexts.size()];
        ASSERT_NO_FATAL_FAILURE(expect_definition(context, what, segment, noise));
      }
    }
  }
}

TEST(TracedLines, images_of_many_lines_are_the_definition) {
  const std::vector<Context> contexts = instruction_sets();
  std::mt19937 random(11);
  const int rounds = by_scale(1, 4, 12);
  for (const Shape& shape : {Shape{1, 300, 610, 2}, Shape{1, 520, 130, 2}, Shape{1, 16, 900, 2}}) {
    for (const Type type : filter_types) {
      const Image noise = random_image(type, shape, 3);
      for (int round = 0; round < rounds; ++round) {
        const TracedSegment segment = segment_of(1 + random() % 90, (random() % 720) / 4.0, round % 3 == 0);
        const Context& context = contexts[static_cast<std::size_t>(round) % contexts.size()];
        ASSERT_NO_FATAL_FAILURE(expect_definition(context, all_moves[random() % 4], segment, noise));
      }
    }
  }
}

TEST(TracedLines, ramps_and_flat_images_are_the_definition) {
  const Image slope = ramp(Type::U8, {1, 40, 70, 2});
  Image flat(Type::I16, {1, 40, 70, 2});
  for (std::int64_t i = 0; i < flat.shape().count(); ++i) flat.row<std::int16_t>(0, 0)[i] = -9;
  for (int degrees = -30; degrees < 210; degrees += by_scale(31, 7, 3)) {
    for (const std::int64_t length : {1, 2, 3, 11, 40, 41, 200}) {
      for (const Along what : all_moves) {
        ASSERT_NO_FATAL_FAILURE(expect_definition({}, what, segment_of(length, degrees, length % 2 == 0), slope));
        ASSERT_NO_FATAL_FAILURE(expect_definition({}, what, segment_of(length, degrees, length % 3 == 0), flat));
      }
    }
  }
}

TEST(TracedLines, openings_are_idempotent_below_the_image_and_fall_with_the_length) {
  for (const Type type : filter_types) {
    const Image noise = random_image(type, {1, 90, 140, 2}, 5);
    for (int degrees = 0; degrees < 180; degrees += small_scale() ? 37 : 7) {
      Grid before = grid_of(noise);
      for (const std::int64_t length : {2, 5, 12, 60, 500}) {
        for (const bool fit : {false, true}) {
          const TracedSegment segment = segment_of(length, degrees, fit);
          const Image once = run({}, Along::Open, segment, noise);
          ASSERT_EQ(first_difference(grid_of(run({}, Along::Open, segment, once)), grid_of(once)), -1);
          const Grid now = grid_of(once);
          for (std::size_t i = 0; i < now.values.size() && !fit; ++i) ASSERT_LE(now.values[i], before.values[i]);
          if (!fit) before = now;
        }
      }
    }
  }
}

TEST(TracedLines, lines_tile_the_image_at_every_angle) {
  for (int quarter = 0; quarter < 720; ++quarter) {
    const Shape shape{1, 31, 45, 2};
    const line_detail::TracedLines lines = line_detail::trace_lines(quarter / 4.0, shape);
    ASSERT_EQ(lines.steep, quarter >= 180 && quarter < 540);
    const std::int64_t across = lines.steep ? shape.x : shape.y;
    ASSERT_EQ(static_cast<std::int64_t>(lines.shift.size()), lines.steep ? shape.y : shape.x);
    bool up = false, down = false;
    for (std::size_t k = 0; k < lines.shift.size(); ++k) {
      ASSERT_GE(lines.shift[k], lines.first);
      ASSERT_LE(across - 1 + lines.shift[k], lines.last);
      if (k == 0) continue;
      const int change = lines.shift[k] - lines.shift[k - 1];
      ASSERT_LE(std::abs(change), 1);
      up = up || change > 0;
      down = down || change < 0;
    }
    ASSERT_FALSE(up && down);
  }
}

TEST(TracedLines, threads_do_not_show) {
  const Image noise = random_image(Type::U8, {3, 200, 330, 3}, 9);
  Context one, four;
  one.threads = 1;
  four.threads = 4;
  for (const double angle : {0.0, 12.5, 45.0, 77.0, 90.0, 134.0, 160.0}) {
    const TracedSegment segment = segment_of(21, angle, false);
    EXPECT_EQ(first_difference(grid_of(run(one, Along::Close, segment, noise)),
                               grid_of(run(four, Along::Close, segment, noise))),
              -1);
  }
}

TEST(TracedLines, morphology_takes_them_with_iterations_and_differences) {
  const Image noise = random_image(Type::U8, {1, 50, 61, 2}, 4);
  const Grid grid = grid_of(noise);
  MorphologyOptions options;
  options.element = "line:7@30";
  options.lines = Lines::Traced;
  EXPECT_EQ(first_difference(grid_of(open({}, noise, options)), wanted(grid, Along::Open, segment_of(7, 30, false))),
            -1);
  options.border = Border::fit();
  EXPECT_EQ(first_difference(grid_of(erode({}, noise, options)), wanted(grid, Along::Erode, segment_of(7, 30, true))),
            -1);
  const Grid fitted = wanted(grid, Along::Open, segment_of(7, 30, true));
  EXPECT_EQ(first_difference(grid_of(tophat({}, noise, options)), morphology_testing::minus(grid, fitted)), -1);
  options.border = Border::neutral();
  options.iterations = 2;
  const Grid once = wanted(grid, Along::Erode, segment_of(7, 30, false));
  EXPECT_EQ(first_difference(grid_of(erode({}, noise, options)), wanted(once, Along::Erode, segment_of(7, 30, false))),
            -1);
}

TEST(TracedLines, nan_is_left_out_where_that_is_asked_for) {
  Image image = random_image(Type::F32, {1, 20, 30, 2}, 6);
  image.row<float>(0, 7)[11] = std::numeric_limits<float>::quiet_NaN();
  MorphologyOptions options;
  options.element = "line:5@0";
  options.lines = Lines::Traced;
  EXPECT_THROW((void)erode({}, image, options), InputError);
  options.nan = NanPolicy::Ignore;
  const Image out = erode({}, image, options);
  image.row<float>(0, 7)[11] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(first_difference(grid_of(out), wanted(grid_of(image), Along::Erode, segment_of(5, 0, false))), -1);
}

TEST(TracedLines, what_has_no_meaning_is_refused_in_one_line) {
  const Image image = random_image(Type::U8, {1, 20, 30, 2}, 6);
  const auto refuses = [&](const char* element, Border border) {
    MorphologyOptions options;
    options.lines = Lines::Traced;
    options.border = border;
    try {
      options.element = element;
      (void)open({}, image, options);
    } catch (const InputError& error) {
      return std::string(error.what()).find('\n') == std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refuses("line:0@30", {}));
  EXPECT_TRUE(refuses("line:-3@30", {}));
  EXPECT_TRUE(refuses("line:5@nan", {}));
  EXPECT_TRUE(refuses("line:5@inf", {}));
  EXPECT_TRUE(refuses("line:4.5@30", {}));
  EXPECT_TRUE(refuses("square:3", {}));
  EXPECT_TRUE(refuses("line:5@30+line:5@60", {}));
  EXPECT_TRUE(refuses("line:5@30,20", {}));
  EXPECT_TRUE(refuses("line:5@30", Border::reflect()));
  EXPECT_TRUE(refuses("line:5@30", Border::nearest()));
  EXPECT_TRUE(refuses("line:5@30", Border::constant(3)));
  EXPECT_FALSE(refuses("line:5@30", Border::fit()));
  EXPECT_THROW((void)StructuringElement::line(std::nan(""), 30), InputError);
  EXPECT_THROW((void)StructuringElement::line(5, std::nan("")), InputError);
}

}  // namespace
}  // namespace tamis
