// How images of the host are cut for a GPU. No test here needs one.
#include "core/gpu/callers/slab_plan.hpp"

#include <gtest/gtest.h>

namespace tamis::cuda {
namespace {

constexpr std::int64_t megabyte = std::int64_t{1} << 20, roomy = std::int64_t{60} << 30;

ImageSlabs slabs_of(const Shape& shape, std::int64_t reach) { return {Type::U8, shape, Offset{reach, reach, reach}}; }

TEST(SlabPlan, of_a_small_image_is_the_whole_of_it_without_threads) {
  const SlabPlan plan = plan_slabs(slabs_of({1, 512, 512, 2}, 1), 4, roomy, 1, {});
  EXPECT_EQ(plan.thickness, 512);
  EXPECT_EQ(plan.at_once, 1);
  EXPECT_FALSE(plan.staged);
}

TEST(SlabPlan, of_a_middling_image_is_the_whole_of_it_by_threads) {
  const SlabPlan plan = plan_slabs(slabs_of({1, 4096, 4096, 2}, 1), 4, roomy, 1, {});
  EXPECT_EQ(plan.thickness, 4096);
  EXPECT_TRUE(plan.staged);
}

TEST(SlabPlan, of_a_large_image_are_slabs_two_of_which_have_room) {
  const SlabPlan plan = plan_slabs(slabs_of({1, 8192, 8192, 2}, 3), 4, roomy, 1, {});
  EXPECT_EQ(plan.thickness, 1639);
  EXPECT_EQ(plan.at_once, 2);
}

TEST(SlabPlan, cuts_no_image_into_slabs_that_see_much_of_each_other) {
  const ImageSlabs slabs = slabs_of({1, 8192, 8192, 2}, 100);
  const SlabPlan plan = plan_slabs(slabs, 4, roomy, 1, {});
  EXPECT_EQ(plan.thickness, 4096);
  EXPECT_EQ(plan_slabs(slabs_of({1, 8192, 8192, 2}, 300), 4, roomy, 1, {}).thickness, 8192);
}

TEST(SlabPlan, of_a_filter_that_may_see_everything_is_the_whole_image) {
  const ImageSlabs slabs(Type::U8, {1, 8192, 8192, 2}, std::nullopt);
  const SlabPlan plan = plan_slabs(slabs, 4, roomy, 1, {});
  EXPECT_EQ(plan.thickness, 8192);
  EXPECT_EQ(plan.at_once, 1);
  EXPECT_TRUE(plan.staged);
}

TEST(SlabPlan, has_slabs_for_each_of_several_gpus) {
  const ImageSlabs slabs = slabs_of({256, 4096, 4096, 2}, 0);
  for (const std::size_t workers : {1U, 2U, 4U}) {
    const SlabPlan plan = plan_slabs(slabs, 4, roomy, workers, {});
    EXPECT_EQ(plan.at_once, 2);
    EXPECT_GE(256 / plan.thickness, static_cast<std::int64_t>(4 * workers)) << workers;
  }
}

TEST(SlabPlan, keeps_to_every_budget_that_holds_the_thinnest_slab) {
  for (const std::int64_t reach : {0, 1, 10, 200}) {
    for (const std::int64_t images : {2, 5}) {
      const ImageSlabs slabs = slabs_of({300, 512, 1024, 3}, reach);
      for (std::int64_t budget = images * slabs.bytes(1); budget < 4000 * megabyte; budget = budget * 5 / 4) {
        for (const std::size_t workers : {1U, 3U}) {
          const SlabPlan plan = plan_slabs(slabs, images, budget, workers, {});
          ASSERT_GE(plan.thickness, 1);
          ASSERT_LE(plan.thickness, 300);
          ASSERT_LE(slabs.bytes(plan.thickness) * (images + 2 * (plan.at_once - 1)), budget) << reach << " " << budget;
        }
      }
    }
  }
}

TEST(SlabPlan, takes_less_until_a_slab_is_one_slice_and_alone) {
  const ImageSlabs slabs = slabs_of({300, 512, 1024, 3}, 1);
  SlabPlan plan{300, 2, true};
  std::int64_t before = plan.thickness;
  while (plan.thickness > 1) {
    ASSERT_TRUE(take_less(slabs, plan));
    ASSERT_LT(plan.thickness, before);
    before = plan.thickness;
  }
  EXPECT_EQ(plan.at_once, 2);
  EXPECT_TRUE(take_less(slabs, plan));
  EXPECT_EQ(plan.at_once, 1);
  EXPECT_FALSE(take_less(slabs, plan));
}

TEST(SlabPlan, pieces_are_an_eighth_of_a_small_image_and_keep_to_the_limit_of_memory) {
  const auto bytes_of = [](std::int64_t megabytes, std::int64_t limit) {
    return plan_copies(megabytes * megabyte, limit, {}).piece_bytes;
  };
  EXPECT_EQ(bytes_of(4096, 0), 8 * megabyte);
  EXPECT_EQ(bytes_of(64, 0), 4 * megabyte);
  EXPECT_EQ(bytes_of(16, 0), 2 * megabyte);
  EXPECT_EQ(bytes_of(4, 0), megabyte);
  EXPECT_EQ(bytes_of(4096, 16 * megabyte), megabyte);
  EXPECT_EQ(bytes_of(4096, 1), 1);
}

}  // namespace
}  // namespace tamis::cuda
