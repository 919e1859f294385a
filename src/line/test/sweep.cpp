#include "line/sweep/sweep.hpp"

#include <cmath>
#include <numeric>

#include "line/sweep/cpu/run.hpp"
#include "line/test/traced_testing.hpp"

namespace tamis {
namespace {

using namespace line_testing;
using line_detail::SweepResult;
using line_detail::SweepScale;
using line_detail::SweepTask;
using morphology_testing::instruction_sets;
using morphology_testing::random_image;

std::vector<double> angles_by(double step, double end) {
  std::vector<double> angles;
  for (double angle = 0; angle < end; angle += step) angles.push_back(angle);
  return angles;
}

/// Values without infinities.
Image finite_image(Type type, const Shape& shape, unsigned seed) {
  Image image = random_image(type, shape, seed);
  if (type != Type::F32) return image;
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    float& value = image.row<float>(0, 0)[i];
    if (std::isinf(value)) value = 3.25F;
  }
  return image;
}

std::int64_t count_of(const std::vector<double>& values, const SweepScale& scale) {
  std::int64_t sum = 0;
  for (const double value : values) sum += std::llrint((value - scale.base) / scale.step);
  return sum;
}

void expect_definition(const Context& context, const Image& image, const SweepTask& task) {
  Stage stage(context, "sweep");
  const SweepResult result = line_detail::cpu::sweep(context, image, task, stage);
  const Grid grid = grid_of(image);
  ASSERT_EQ(result.image_count, count_of(grid.values, result.scale));
  std::vector<double> best, worst;
  std::vector<std::vector<int>> tied(grid.values.size());
  for (std::size_t a = 0; a < task.angles.size(); ++a) {
    std::vector<double> now;
    if (task.lines == Lines::Traced) {
      const auto length = static_cast<std::int64_t>(task.length);
      now = wanted(grid, task.dark ? Along::Close : Along::Open, segment_of(length, task.angles[a], task.fit)).values;
    } else {
      MorphologyOptions options;
      options.element = StructuringElement::line(task.length, task.angles[a]);
      now = morphology_testing::reference(task.dark ? Operation::Close : Operation::Open, grid, options).values;
    }
    ASSERT_EQ(result.counts[a], count_of(now, result.scale)) << "angle " << task.angles[a];
    if (a == 0) best = worst = now;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const bool up = line_reference::below(best[i], now[i]), down = line_reference::below(now[i], best[i]);
      if (task.dark ? down : up) {
        best[i] = now[i];
        tied[i].clear();
      }
      if (!(task.dark ? up : down)) tied[i].push_back(static_cast<int>(a));
      const bool lower = line_reference::below(now[i], worst[i]), higher = line_reference::below(worst[i], now[i]);
      if (task.dark ? higher : lower) worst[i] = now[i];
    }
  }
  if (!task.maps) {
    ASSERT_TRUE(result.best.empty());
    return;
  }
  ASSERT_EQ(first_difference(grid_of(result.best), {grid.shape, best, 0, 0}), -1);
  ASSERT_EQ(first_difference(grid_of(result.worst), {grid.shape, worst, 0, 0}), -1);
  std::vector<double> twice;
  for (const std::vector<int>& each : tied) {
    twice.push_back(2 * line_reference::middle_of_ties(each, static_cast<int>(task.angles.size()), task.cyclic));
  }
  ASSERT_EQ(first_difference(grid_of(result.twice), {grid.shape, twice, 0, 0}), -1);
}

TEST(Sweep, keeps_best_worst_middle_of_ties_and_sums_of_every_type) {
  for (const Context& context : instruction_sets()) {
    for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
      const Image image = finite_image(type, {1, 21, 83, 2}, 1);
      for (const bool dark : {false, true}) {
        for (const Lines lines : {Lines::Traced, Lines::Invariant}) {
          ASSERT_NO_FATAL_FAILURE(expect_definition(context, image, {angles_by(9, 180), true, 7, lines, false, dark}));
        }
        const bool fits_somewhere = type != Type::F32;  // infinities have no sum
        ASSERT_NO_FATAL_FAILURE(
            expect_definition(context, image, {angles_by(20, 180), false, 5, Lines::Traced, fits_somewhere, dark}));
      }
    }
  }
}

TEST(Sweep, more_angles_than_a_byte_holds_and_segments_that_angles_share) {
  const Image image = finite_image(Type::U8, {1, 12, 30, 2}, 2);
  const double step = small_scale() ? 0.6 : 0.25;
  for (const Lines lines : {Lines::Traced, Lines::Invariant}) {
    for (const int threads : {1, 3}) {
      Context context;
      context.threads = threads;
      ASSERT_NO_FATAL_FAILURE(expect_definition(context, image, {angles_by(step, 180), true, 9, lines}));
    }
  }
}

TEST(Sweep, angle_by_angle_where_memory_is_short_and_slice_by_slice) {
  Context context;
  context.memory_bytes = 1;
  for (const Lines lines : {Lines::Traced, Lines::Invariant}) {
    const Image volume = finite_image(Type::U16, {3, 40, 50, 3}, 3);
    ASSERT_NO_FATAL_FAILURE(expect_definition(context, volume, {angles_by(30, 180), true, 11, lines}));
    ASSERT_NO_FATAL_FAILURE(expect_definition({}, volume, {angles_by(30, 180), true, 11, lines}));
  }
}

TEST(Sweep, sums_alone_and_images_of_many_parts) {
  const Image image = finite_image(Type::F32, {1, 210, 190, 2}, 4);
  SweepTask task{{3, 60, 100, 170}, false, 15, Lines::Traced};
  ASSERT_NO_FATAL_FAILURE(expect_definition({}, image, task));
  task.maps = false;
  ASSERT_NO_FATAL_FAILURE(expect_definition({}, image, task));
}

TEST(Sweep, the_middle_wins_where_all_tie) {
  Image flat(Type::I16, {1, 30, 40, 2});
  for (const int threads : {1, 4}) {
    Context context;
    context.threads = threads;
    for (const bool cyclic : {false, true}) {
      ASSERT_NO_FATAL_FAILURE(expect_definition(context, flat, {angles_by(1, 180), cyclic, 9, Lines::Traced}));
    }
  }
}

TEST(Sweep, ties_that_go_round_and_angles_whose_segments_come_again) {
  // Few values, so that much ties; angles half a degree apart share their segments, those at 0 and at 179.5 too.
  Image image = finite_image(Type::U8, {1, 30, 41, 2}, 7);
  for (std::int64_t i = 0; i < image.shape().count(); ++i) image.row<std::uint8_t>(0, 0)[i] %= 3;
  for (const Lines lines : {Lines::Traced, Lines::Invariant}) {
    for (const int threads : {1, 3}) {
      Context context;
      context.threads = threads;
      for (const bool dark : {false, true}) {
        for (const double step : {0.5, 7.0, 90.0, 180.0}) {
          ASSERT_NO_FATAL_FAILURE(
              expect_definition(context, image, {angles_by(step, 180), true, 5, lines, false, dark}));
        }
        ASSERT_NO_FATAL_FAILURE(
            expect_definition(context, image, {angles_by(0.5, 179.9), false, 5, lines, false, dark}));
      }
    }
  }
}

TEST(TiedAngles, the_middle_of_a_run_of_less_than_half_of_all_directions_is_its_middle) {
  for (const int count : {1, 2, 3, 10, 13, 180}) {
    const int border = line_detail::second_half(count, true);
    for (int begin = 0; begin < count; ++begin) {
      for (int length = 1; 2 * length <= count; ++length) {
        line_detail::TiedAngles tied;
        for (int i = begin; i < begin + length; ++i) {
          const auto angle = static_cast<std::uint16_t>(i % count);
          const int half = angle < border ? 0 : 1;
          tied.first[half] = std::min(tied.first[half], angle);
          tied.last[half] = std::max(tied.last[half], angle);
        }
        ASSERT_EQ(line_detail::twice_the_middle(tied, count), (2 * begin + length - 1) % (2 * count));
      }
    }
  }
}

TEST(Sweep, refuses_what_morphology_refuses) {
  const Image image = finite_image(Type::U8, {1, 10, 10, 2}, 5);
  EXPECT_THROW((void)line_detail::sweep({}, image, {{10}, false, 4.5, Lines::Traced}), InputError);
  EXPECT_THROW((void)line_detail::sweep({}, image, {{std::nan("")}, false, 5, Lines::Traced}), InputError);
  EXPECT_THROW((void)line_detail::sweep({}, image, {{10}, false, 0, Lines::Invariant}), InputError);
}

}  // namespace
}  // namespace tamis
