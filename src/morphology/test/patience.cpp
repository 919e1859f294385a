// Work that would take long: iterations that change nothing are left out, and a stop is heard inside a tile.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <stop_token>
#include <thread>

#include "morphology/plan/steps.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;
using morphology_detail::PlanRequest;
using Clock = std::chrono::steady_clock;

/// Straight from the definition, until nothing changes; elements without their origin may never settle.
Grid iterated(Grid grid, MorphologyOptions options, bool erode, std::int64_t times) {
  options.iterations = 1;
  for (std::int64_t i = 0; i < times; ++i) {
    Grid next = half(grid, options, erode);
    if (first_difference(next, grid) < 0) break;
    grid = std::move(next);
  }
  return grid;
}

TEST(MorphologyPatience, iterations_that_change_nothing_are_left_out) {
  constexpr std::int64_t many = 300;
  unsigned seed = 1;
  for (const char* const spec :
       {"square:3", "square:2", "cross:2", "disk:3", "octagon:3", "hexagon:2", "line:5@0", "line:5@45", "line:4@90",
        "rect:5x1+rect:1x2", "rect:2x1+shift(rect:2x1,-1,0)", "shift(square:2,3,0)", "shift(disk:1,0,-4)+square:3",
        "circle:2", "shift(rect:3x1,1,0)"}) {
    for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{1, 11, 13, 2}, Shape{1, 1, 17, 2}, Shape{1, 19, 2, 2}}) {
      for (const Border& border : borders_for(Type::U8)) {
        for (const Operation operation : {Operation::Erode, Operation::Dilate}) {
          const Image image = random_image(Type::U8, shape, seed++);
          const MorphologyOptions options{.element = spec, .border = border, .iterations = many};
          const Grid wanted = iterated(grid_of(image), options, operation == Operation::Erode, many);
          const Grid got = grid_of(morphology({}, operation, image, options));
          EXPECT_LT(first_difference(got, wanted), 0)
              << spec << " " << to_string(shape) << " " << to_string(border) << " " << name(operation);
        }
      }
    }
  }
}

TEST(MorphologyPatience, iterations_that_change_nothing_are_left_out_on_volumes) {
  unsigned seed = 1;
  for (const char* const spec : {"cube:3", "cube:2", "ball:2", "cross:1", "shift(cube:2,1,0,3)", "line:5@30,40"}) {
    for (const Border& border : borders_for(Type::U8)) {
      const Image image = random_image(Type::U8, {5, 7, 6, 3}, seed++);
      const MorphologyOptions options{.element = spec, .border = border, .iterations = 60};
      const Grid wanted = iterated(grid_of(image), options, true, 60);
      EXPECT_LT(first_difference(grid_of(erode({}, image, options)), wanted), 0) << spec << " " << to_string(border);
    }
  }
}

TEST(MorphologyPatience, a_million_iterations_are_as_many_as_the_image_is_long) {
  PlanRequest request;
  request.iterations = 1'000'000;
  request.shape = {1, 100, 200, 2};
  const auto iterations_of = [&](const char* spec) {
    request.sets = StructuringElement(spec).sets(2);
    return morphology_detail::useful_iterations(request);
  };
  EXPECT_EQ(iterations_of("square:3"), 300);
  EXPECT_EQ(iterations_of("square:2"), 300);
  EXPECT_EQ(iterations_of("disk:10"), 30);
  EXPECT_EQ(iterations_of("shift(rect:1x1,3,0)"), 67);
  EXPECT_EQ(iterations_of("shift(rect:1x1,-3,50)"), 2);
  EXPECT_EQ(iterations_of("circle:3"), 1'000'000);
  request.border = Border::reflect();
  EXPECT_EQ(iterations_of("square:3"), 300);
  EXPECT_EQ(iterations_of("square:2"), 20'001);
}

/// How long `work` goes on after a stop that comes a little after its start; -1 if it was done before.
template <class Work>
double seconds_after_stop(Work work) {
  std::stop_source source;
  Context context;
  context.threads = 1;
  context.cancel = source.get_token();
  Clock::time_point stopped;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stopped = Clock::now();
    source.request_stop();
  });
  try {
    work(context);
  } catch (const Cancelled&) {
    return std::chrono::duration<double>(Clock::now() - stopped).count();
  }
  return -1;
}

constexpr double soon = 1.0;  // on a busy machine; alone it is some hundredths

TEST(MorphologyPatience, a_stop_is_heard_inside_a_tile) {
  if (small_scale()) GTEST_SKIP() << "a matter of time";
  const Image volume = random_image(Type::U8, {70, 400, 400, 3}, 1);
  EXPECT_LT(seconds_after_stop(
                [&](const Context& context) { static_cast<void>(erode(context, volume, {.element = "ball:40.5"})); }),
            soon);
  EXPECT_LT(seconds_after_stop(
                [&](const Context& context) { static_cast<void>(asf(context, volume, {.element = "ball:30"})); }),
            soon);
}

TEST(MorphologyPatience, progress_is_heard_of_inside_of_one_size_of_an_asf) {
  const Image image = random_image(Type::U8, {1, 600, 600, 2}, 1);
  int reports = 0;
  std::stop_source source;
  Context context;
  context.cancel = source.get_token();
  context.on_progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.stage, "asf");
    if (++reports == 3) source.request_stop();  // begun, and the first size is under way
  };
  EXPECT_THROW((void)asf(context, image, {.element = "disk:25"}), Cancelled);
}

TEST(MorphologyPatience, a_stop_is_heard_in_a_reconstruction) {
  if (small_scale()) GTEST_SKIP() << "a matter of time";
  const Image mask = random_image(Type::U16, {1, 6000, 6000, 2}, 1);
  Image marker(Type::U16, mask.shape());
  marker.row<std::uint16_t>(0, 3000)[3000] = mask.row<std::uint16_t>(0, 3000)[3000];
  EXPECT_LT(seconds_after_stop([&](const Context& context) { static_cast<void>(reconstruct(context, marker, mask)); }),
            soon);
}

}  // namespace
}  // namespace tamis
