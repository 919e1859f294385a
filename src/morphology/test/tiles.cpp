// Tiles, strips and batches of any size give the same answer.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "core/border.hpp"
#include "morphology/cpu/run.hpp"
#include "morphology/cpu/tile/layout.hpp"
#include "morphology/plan/spans.hpp"
#include "morphology/test/testing.hpp"

namespace tamis::morphology_detail {
namespace {

using namespace morphology_testing;

/// Tiles as small as they get: a few rows and columns each, and small batches.
CpuTuning tiny(std::int64_t batch) {
  CpuTuning tuning;
  tuning.tile_bytes = 1;
  tuning.least_tile_columns = 1;
  tuning.least_strip_rows = 3;
  tuning.strips_per_thread = 40;
  tuning.least_task_samples = 1;
  tuning.stream_bytes = batch % 2 == 0 ? 0 : tuning.stream_bytes;
  tuning.batch_rows = tuning.batch_rows_of_long_runs = tuning.batch_slices = batch;
  return tuning;
}

void expect_reference(const Image& image, const MorphologyOptions& options, const std::vector<CpuTuning>& tunings) {
  PlanRequest request;
  request.sets = options.element.sets(image.shape().rank);
  request.border = options.border;
  request.iterations = options.iterations;
  request.halves = {Order::Min, Order::Max};
  request.rank = rank_of(request.sets);
  request.shape = image.shape();
  const Plan plan = make_plan(request);
  const Grid wanted = reference(Operation::Open, grid_of(image), options);
  for (const CpuTuning& tuning : tunings) {
    Image out(image.type(), image.shape());
    const Context context;
    Stage stage(context, "open");
    cpu::run(context, plan, image, Combine::Result, image, out, stage, tuning);
    ASSERT_EQ(first_difference(grid_of(out), wanted), -1)
        << to_string(image.shape()) << " " << name(image.type()) << " by " << options.element.spec() << " border "
        << to_string(options.border) << " batch " << tuning.batch_rows << "\n"
        << cpu::describe(plan, tuning);
  }
}

TEST(Tiles, of_any_size_give_the_same_answer) {
  Sampled some(11);
  unsigned seed = 1;
  for (const char* const spec : {"square:3", "rect:1x20", "rect:31x2", "disk:4", "cross:3", "line:15@70",
                                 "shift(rect:2x30,3,12)", "octagon:6", "square:2+circle:3"}) {
    for (const Type type : filter_types) {
      for (const Border& border : borders_for(type)) {
        if (some.skips()) continue;
        expect_reference(random_image(type, {1, 47, 203, 2}, seed++), {.element = spec, .border = border},
                         {tiny(1), tiny(5), tiny(64)});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Tiles, of_volumes_give_the_same_answer) {
  Sampled some(11, 2);
  unsigned seed = 1;
  for (const char* const spec :
       {"cube:3", "box:2x9x7", "cube:9", "ball:2.5", "cross:3", "shift(cube:4,3,-4,5)", "disk:2"}) {
    for (const Type type : {Type::U8, Type::F32, Type::Bool}) {
      for (const Border& border : borders_for(type)) {
        if (some.skips()) continue;
        expect_reference(random_image(type, {11, 25, 70, 3}, seed++), {.element = spec, .border = border},
                         {tiny(1), tiny(6)});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Tiles, long_chains_of_steps_are_cut_into_passes) {
  const MorphologyOptions options{.element = "disk:2+square:3", .border = Border::reflect(), .iterations = 200};
  const Image image = random_image(Type::U8, {1, 20, 200, 2}, 3);
  PlanRequest request{options.element.sets(2), 200, options.border, {Order::Min, Order::Max}, 2, image.shape()};
  EXPECT_GT(cpu::fused_steps(make_plan(request), CpuTuning{}).size(), 1U);
  expect_reference(image, options, {tiny(5), CpuTuning{}});
}

TEST(Plan, merges_steps_only_where_that_is_exact) {
  PlanRequest request{{StructuringElement("square:3").sum(2)}, 10, Border::neutral(), {Order::Min}, 2, {1, 90, 90, 2}};
  const auto steps = [&] { return make_plan(request).steps.size(); };
  EXPECT_EQ(steps(), 1U);
  EXPECT_EQ(make_plan(request).steps[0].set, StructuringElement("square:21").sum(2));
  request.border = Border::reflect();
  EXPECT_EQ(steps(), 10U);
  request.border = Border::neutral();
  request.sets = {StructuringElement("shift(square:3,4,0)").sum(2)};  // every way leads through a sample 3 to the right
  EXPECT_EQ(steps(), 10U);
  request.sets = {StructuringElement("cross:1").sum(2)};
  EXPECT_EQ(make_plan(request).steps[0].set, StructuringElement("cross:10").sum(2));
}

TEST(Plan, says_nothing_of_what_one_backend_does_at_once) {
  PlanRequest request{{StructuringElement("square:3").sum(2)}, 30, Border::reflect(), {Order::Min}, 2, {1, 90, 90, 2}};
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.steps.size(), 30U);
  CpuTuning narrow;
  narrow.fused_rows = 8;  // four steps of two rows
  EXPECT_EQ(cpu::fused_steps(plan, CpuTuning{}).size(), 1U);
  EXPECT_EQ(cpu::fused_steps(plan, narrow).size(), 8U);
  std::size_t steps = 0;
  for (const std::span<const Step> pass : cpu::fused_steps(plan, narrow)) steps += pass.size();
  EXPECT_EQ(steps, plan.steps.size());
}

TEST(Plan, elements_larger_than_the_image_are_cut_to_it) {
  for (const Border& border : borders_for(Type::U8)) {
    const OffsetSet set = fitted(StructuringElement("shift(square:1001,3,2)").sum(2), {1, 7, 9, 2}, border.kind);
    EXPECT_GE(set.box().low, (Offset{0, -7, -9})) << to_string(border);
    EXPECT_LE(set.box().high, (Offset{0, 7, 9})) << to_string(border);
  }
  for (const char* const spec : {"square:201", "rect:2x301", "disk:30", "shift(disk:3,200,-500)", "line:900@12"}) {
    for (const Type type : {Type::U8, Type::Bool}) {
      for (const Border& border : borders_for(type)) {
        expect_reference(random_image(type, {1, 7, 70, 2}, 5), {.element = spec, .border = border}, {CpuTuning{}});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Spans, mapping_agrees_with_the_definition) {
  for (const Border& border : borders_for(Type::U8)) {
    for (std::int64_t n = 1; n < 6; ++n) {
      for (std::int64_t low = -15; low < 20; ++low) {
        EXPECT_EQ(seen_at(low, n, border.kind), morphology_reference::inside(low, n, border.kind));
        Span wanted;
        for (std::int64_t high = low; high < 20; ++high) {
          EXPECT_EQ(mapped(Span{low, high}, n, border.kind).size(), wanted.size());
          EXPECT_TRUE(wanted.empty() || mapped(Span{low, high}, n, border.kind) == wanted);
          const std::int64_t at = seen_at(high, n, border.kind);
          if (at != nowhere) wanted = wanted.joined({at, at + 1});
        }
      }
    }
  }
}

}  // namespace
}  // namespace tamis::morphology_detail
