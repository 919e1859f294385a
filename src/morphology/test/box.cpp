// Boxes on the CPU: rows longer than a vector, every way of cutting them, in place and not.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "morphology/cpu/box/run.hpp"
#include "morphology/cpu/box/sweep.hpp"
#include "morphology/cpu/run.hpp"
#include "morphology/test/testing.hpp"

namespace tamis::morphology_detail {
namespace {

using namespace morphology_testing;
using namespace cpu;

const std::vector<Type> grey_types = {Type::U8, Type::U16, Type::I16, Type::F32};

Plan plan_of(const Image& image, const MorphologyOptions& options, const std::vector<Order>& halves) {
  PlanRequest request;
  request.sets = options.element.sets(image.shape().rank);
  request.border = options.border;
  request.iterations = options.iterations;
  request.halves = halves;
  request.rank = rank_of(request.sets);
  request.shape = image.shape();
  return make_plan(request);
}

/// Small blocks, chunks and tasks; results past the caches where `stream`.
CpuTuning cut_small(std::int64_t block_bytes, bool stream) {
  CpuTuning tuning;
  tuning.box_block_bytes = block_bytes;
  tuning.box_chunk_bytes = 128;
  tuning.box_task_bytes = 512;
  tuning.stream_bytes = stream ? 0 : tuning.stream_bytes;
  return tuning;
}

struct Case {
  Operation operation;
  std::vector<Order> halves;
};
const std::vector<Case> cases = {{Operation::Erode, {Order::Min}},
                                 {Operation::Dilate, {Order::Max}},
                                 {Operation::Open, {Order::Min, Order::Max}},
                                 {Operation::Close, {Order::Max, Order::Min}}};

void expect_reference(const Image& image, const MorphologyOptions& options, const std::vector<CpuTuning>& tunings) {
  const Grid f = grid_of(image);
  for (const Case& each : cases) {
    const Plan plan = plan_of(image, options, each.halves);
    const Grid wanted = reference(each.operation, f, options);
    for (const CpuTuning& tuning : tunings) {
      for (const Context& context : instruction_sets()) {
        Image out(image.type(), image.shape());
        Stage stage(context, "boxes");
        run(context, plan, image, Combine::Result, image, out, stage, tuning);
        const std::int64_t at = first_difference(grid_of(out), wanted);
        ASSERT_EQ(at, -1) << name(each.operation) << " of " << to_string(image.shape()) << " " << name(image.type())
                          << " by " << options.element.spec() << " border " << to_string(options.border) << " on "
                          << context.describe() << ", blocks of " << tuning.box_block_bytes;
      }
    }
  }
}

TEST(Boxes, of_images_agree_with_the_definition_however_they_are_cut) {
  Sampled some(23, 3);
  unsigned seed = 1;
  for (const char* const spec : {"square:3", "square:2", "rect:1x4", "rect:8x1", "rect:5x16", "square:31", "rect:70x41",
                                 "shift(rect:3x20,2,12)", "shift(square:4,-90,1)", "square:3+rect:6x2"}) {
    for (const Type type : grey_types) {
      for (const Border& border : borders_for(type)) {
        for (const Shape& shape : {Shape{1, 1, 64, 2}, Shape{1, 29, 131, 2}}) {
          if (some.skips()) continue;
          expect_reference(random_image(type, shape, seed++), {.element = spec, .border = border},
                           {CpuTuning{}, cut_small(1, false), cut_small(1500, true)});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Boxes, of_volumes_agree_with_the_definition_however_they_are_cut) {
  Sampled some(29, 4);
  unsigned seed = 1;
  for (const char* const spec : {"cube:3", "cube:2", "cube:7", "box:1x2x5", "box:4x1x1", "box:20x3x9",
                                 "shift(cube:4,3,-4,5)", "cube:3+box:2x1x3", "cube:3+square:3", "square:5"}) {
    for (const Type type : grey_types) {
      for (const Border& border : borders_for(type)) {
        for (const Shape& shape : {Shape{9, 12, 71, 3}, Shape{1, 5, 128, 3}, Shape{13, 1, 64, 3}}) {
          if (some.skips()) continue;
          expect_reference(random_image(type, shape, seed++), {.element = spec, .border = border},
                           {CpuTuning{}, cut_small(1, true), cut_small(700, false)});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Boxes, longer_than_a_piece_of_a_row_or_a_window_of_rows_agree_with_tiles) {
  CpuTuning tiles;
  tiles.boxes = false;
  for (const char* const spec : {"rect:1x3000", "rect:701x3", "square:300", "rect:257x9"}) {
    for (const Type type : grey_types) {
      const Image image = random_image(type, {1, 900, by_scale(300, 2100, 5000), 2}, 3);
      const Plan plan = plan_of(image, {.element = spec}, {Order::Min, Order::Max});
      Image out(type, image.shape()), wanted(type, image.shape());
      const Context context;
      Stage stage(context, "boxes");
      run(context, plan, image, Combine::Result, image, out, stage);
      run(context, plan, image, Combine::Result, image, wanted, stage, tiles);
      EXPECT_EQ(first_difference(grid_of(out), grid_of(wanted)), -1) << spec << " " << name(type);
    }
  }
}

TEST(Boxes, every_operation_on_rows_longer_than_a_vector_is_what_its_name_says) {
  unsigned seed = 1;
  for (const Operation operation : all_operations) {
    for (const Type type : grey_types) {
      for (const Border& border : borders_for(type)) {
        for (const Shape& shape : {Shape{1, 19, 150, 2}, Shape{7, 9, 80, 3}}) {
          const Image image = random_image(type, shape, seed++);
          const MorphologyOptions options{.element = shape.rank == 3 ? "box:3x2x5" : "rect:4x7", .border = border};
          EXPECT_EQ(first_difference(grid_of(morphology({}, operation, image, options)),
                                     reference(operation, grid_of(image), options)),
                    -1)
              << name(operation) << " " << name(type) << " " << to_string(border);
        }
      }
    }
  }
}

TEST(Boxes, leave_nan_to_those_that_know_it) {
  for (const Shape& shape : {Shape{1, 19, 90, 2}, Shape{5, 6, 40, 3}}) {
    const Image image = random_image(Type::F32, shape, 5, 0.05);
    const MorphologyOptions options{.element = shape.rank == 3 ? "cube:3" : "square:3", .nan = NanPolicy::Ignore};
    for (const Operation operation : all_operations) {
      EXPECT_EQ(first_difference(grid_of(morphology({}, operation, image, options)),
                                 reference(operation, grid_of(image), options)),
                -1)
          << name(operation);
    }
    EXPECT_THROW((void)open({}, image, {.element = options.element}), InputError);
  }
}

TEST(BoxPasses, take_turns_so_that_the_last_one_is_within_slices) {
  const Image volume(Type::U8, {9, 9, 90, 3});
  const auto passes = [&](const MorphologyOptions& options, const std::vector<Order>& halves) {
    std::string text;
    const auto found = box_passes(plan_of(volume, options, halves), Type::U8, volume.shape(), CpuTuning{});
    for (const BoxPass& pass : found.value()) {
      text += (pass.along_z ? "z" : "s") + std::to_string(pass.steps.size());
    }
    return text;
  };
  EXPECT_EQ(passes({.element = "cube:3"}, {Order::Min}), "z1s1");
  EXPECT_EQ(passes({.element = "cube:3"}, {Order::Min, Order::Max}), "s1z2s1");
  EXPECT_EQ(passes({.element = "cube:3", .border = Border::reflect(), .iterations = 3}, {Order::Min}), "z1s2z2s1");
  EXPECT_EQ(passes({.element = "square:3"}, {Order::Min, Order::Max}), "s2");
}

TEST(BoxPasses, are_for_boxes_and_rows_of_a_vector_and_more) {
  const auto any = [](const char* spec, Type type, const Shape& shape) {
    const Image image(type, shape);
    return box_passes(plan_of(image, {.element = spec}, {Order::Min}), type, shape, CpuTuning{}).has_value();
  };
  EXPECT_TRUE(any("square:3", Type::U8, {1, 5, 64, 2}));
  EXPECT_TRUE(any("square:3", Type::F32, {1, 5, 16, 2}));
  EXPECT_FALSE(any("square:3", Type::U8, {1, 5, 63, 2}));
  EXPECT_FALSE(any("square:3", Type::Bool, {1, 5, 640, 2}));
  EXPECT_FALSE(any("disk:3", Type::U8, {1, 5, 64, 2}));
  EXPECT_FALSE(any("square:1", Type::U8, {1, 5, 64, 2}));  // nothing to do but a copy
}

TEST(BoxPasses, blocks_of_rows_are_whole_windows) {
  EXPECT_EQ(box_block_rows(15, 1000, 31'000), 30);
  EXPECT_EQ(box_block_rows(15, 1000, 100), 15);
  EXPECT_EQ(box_block_rows(3, 1000, 31'000), 31);
  EXPECT_EQ(box_block_rows(511, 1000, 31'000), most_window_results);
}

}  // namespace
}  // namespace tamis::morphology_detail
