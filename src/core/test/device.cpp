#include "core/device.hpp"

#include <gtest/gtest.h>
#include <tamis/context.hpp>
#include <tamis/error.hpp>

#include "core/test/gpu_test.hpp"

namespace tamis {
namespace {

constexpr std::int64_t small = 1000;
constexpr std::int64_t huge = std::int64_t{1} << 40;

Context context_on(Device device, int gpu = 0) {
  Context context;
  context.device = device;
  context.gpu = gpu;
  return context;
}

/// What an error says; empty where none is thrown.
std::string refusal(const Context& context) {
  try {
    static_cast<void>(choose_device(context, huge));
  } catch (const ResourceError& error) {
    return error.what();
  }
  return "";
}

TEST(Device, the_cpu_stays_the_cpu) {
  EXPECT_EQ(choose_device(context_on(Device::Cpu), small), Device::Cpu);
  EXPECT_EQ(choose_device(context_on(Device::Cpu), huge), Device::Cpu);
  EXPECT_EQ(choose_device(context_on(Device::Cpu, 99), huge), Device::Cpu);
}

TEST(Device, auto_never_fails) {
  EXPECT_EQ(choose_device(context_on(Device::Auto), 0), Device::Cpu);
  EXPECT_EQ(choose_device(context_on(Device::Auto, 99), huge), Device::Cpu);
  EXPECT_EQ(choose_device(context_on(Device::Auto, -1), huge), Device::Cpu);
  EXPECT_EQ(choose_device(context_on(Device::Auto), huge), why_no_gpu().empty() ? Device::Cuda : Device::Cpu);
}

TEST(Device, a_gpu_pays_from_fewer_voxels_on_where_cuda_runs_already) {
  EXPECT_FALSE(gpu_pays(voxels_worth_a_start - 1, false));
  EXPECT_TRUE(gpu_pays(voxels_worth_a_start, false));
  EXPECT_FALSE(gpu_pays(voxels_worth_a_copy - 1, true));
  EXPECT_TRUE(gpu_pays(voxels_worth_a_copy, true));
}

TEST(Device, a_gpu_that_cannot_be_is_refused_with_what_was_asked_why_and_what_is_wanted) {
  for (const int gpu : {99, -1}) {
    const std::string text = refusal(context_on(Device::Cuda, gpu));
    EXPECT_NE(text.find("device cuda:" + std::to_string(gpu)), std::string::npos) << text;
    EXPECT_NE(text.find("wanted"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_THROW(require_device(context_on(Device::Cuda, gpu)), ResourceError);
  }
  const std::string why = why_no_gpu();
  EXPECT_EQ(refusal(context_on(Device::Cuda)).empty(), why.empty());
  EXPECT_NE(refusal(context_on(Device::Cuda)).find(why), std::string::npos);
}

TEST(Device, the_cpu_and_auto_are_always_there) {
  EXPECT_NO_THROW(require_device(context_on(Device::Cpu)));
  EXPECT_NO_THROW(require_device(context_on(Device::Auto, 99)));
}

TEST(Device, descriptions_name_what_was_chosen) {
  Context context = context_on(Device::Auto);
  context.threads = 1;
  EXPECT_EQ(context.describe().find("CPU, 1 thread, "), 0U) << context.describe();
  context.device = Device::Cuda;
  EXPECT_EQ(context.describe(Device::Cpu).find("CPU, 1 thread, "), 0U) << context.describe(Device::Cpu);
}

TEST(Device, there_is_a_reason_or_a_usable_gpu_never_both) {
  bool usable = false;
  for (const Gpu& gpu : gpus()) usable = usable || gpu.problem.empty();
  EXPECT_EQ(usable, why_no_gpu().empty());
  EXPECT_FALSE(usable && cuda_build().empty());
}

class GpuDevice : public GpuTest {};

TEST_F(GpuDevice, cuda_is_chosen_for_any_size_and_named) {
  EXPECT_EQ(choose_device(on_gpu(), small), Device::Cuda);
  EXPECT_NO_THROW(require_device(on_gpu()));
  EXPECT_EQ(on_gpu().describe(), gpus().front().name + " (GPU 0)");
  EXPECT_EQ(on_gpu().describe(Device::Cuda), on_gpu().describe());
}

TEST_F(GpuDevice, auto_takes_the_gpu_for_less_work_once_cuda_runs) {
  ASSERT_EQ(choose_device(on_gpu(), small), Device::Cuda);
  EXPECT_TRUE(cuda_has_started());
  EXPECT_EQ(choose_device(context_on(Device::Auto), small), Device::Cpu);
  EXPECT_EQ(choose_device(context_on(Device::Auto), voxels_worth_a_copy), Device::Cuda);
}

TEST_F(GpuDevice, a_list_of_gpus_says_what_they_are) {
  for (const Gpu& gpu : gpus()) {
    if (!gpu.problem.empty()) continue;
    EXPECT_FALSE(gpu.name.empty());
    EXPECT_GE(gpu.major, 7);
    EXPECT_GT(gpu.memory_bytes, 0);
    EXPECT_LE(gpu.free_bytes, gpu.memory_bytes);
  }
}

TEST_F(GpuDevice, an_index_past_the_end_says_which_is_the_last) {
  EXPECT_NE(refusal(context_on(Device::Cuda, 99)).find("cuda:" + std::to_string(gpus().size() - 1)), std::string::npos);
}

}  // namespace
}  // namespace tamis
