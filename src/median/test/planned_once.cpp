// Planning the engines of the CPU takes a while for large windows: a median does it once, and says what it planned.
// The library calls cpu::make_plan() of the program that has one (cmake/replaced_by_tests.list), which is here.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>

#include <tamis/median.hpp>

#include "median/cpu/engines.hpp"
#include "median/test/testing.hpp"

namespace tamis::median_detail {

namespace {
std::atomic<int> planned{0};
}

cpu::Plan cpu::make_plan(const RankStep& step, Type type, std::int64_t nx) {
  using MakePlan = cpu::Plan (*)(const RankStep&, Type, std::int64_t);
  static const auto of_the_library =
      reinterpret_cast<MakePlan>(dlsym(RTLD_NEXT, "_ZN5tamis13median_detail3cpu9make_planERKNS0_8RankStepENS_4TypeEl"));
  ++planned;
  return of_the_library(step, type, nx);
}

namespace {

Context on(Device device) {
  Context context;
  context.device = device;
  return context;
}

TEST(MedianPlan, engines_are_planned_once_for_each_step) {
  const Image image = median_testing::random_image(Type::U16, {1, 40, 50, 2}, 1);
  for (const Device device : {Device::Cpu, Device::Auto}) {  // Auto stays on the CPU: the image is small
    Image out;
    planned = 0;
    const MedianFacts once = median(on(device), image, {.window = "disk:3"}, out);
    EXPECT_EQ(planned, 1);
    EXPECT_EQ(once.device, Device::Cpu);
    planned = 0;
    static_cast<void>(median(on(device), image, {.window = "square:5", .iterations = 4}, out));
    EXPECT_EQ(planned, 1);
    planned = 0;
    static_cast<void>(smooth(on(device), image, {.width = 9, .height = 7}, out));
    EXPECT_EQ(planned, 2);
  }
}

TEST(MedianPlan, what_a_median_says_it_did_is_what_was_announced) {
  for (const Type type : {Type::Bool, Type::U8, Type::I16, Type::F32}) {
    const Image image = median_testing::random_image(type, {1, 40, 50, 2}, 2);
    const MedianOptions options{.window = "square:5", .percentile = 30};
    Image out;
    const MedianFacts facts = median({}, image, options, out);
    EXPECT_EQ(facts.device, choose_device({}, type, image.shape(), options));
    EXPECT_EQ(facts.engines, explain({}, type, image.shape(), options));
    EXPECT_NE(facts.engines.find("25 samples in 5 rows"), std::string::npos) << facts.engines;
  }
}

}  // namespace
}  // namespace tamis::median_detail
