// What is said where there is no GPU.
#include <tamis/gpu_morphology.hpp>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu_array.hpp>

namespace tamis {
namespace {

TEST(MorphologyWithoutAGpu, prepared_filters_frames_and_arrays_are_refused_without_a_gpu) {
  if (why_no_gpu().empty()) GTEST_SKIP() << "there is a GPU";
  const Shape shape{1, 8, 8, 2};
  EXPECT_THROW(GpuMorphology(Context{}, Operation::Open, Type::U8, shape, {}), EnvironmentError);
  EXPECT_THROW(GpuMorphology(Context{}, Type::U8, shape, HitMissOptions{}), EnvironmentError);
  EXPECT_THROW(GpuFrames(Context{}, Operation::Open, Type::U8, shape, {}), EnvironmentError);
  EXPECT_THROW(PinnedMemory(64), EnvironmentError);
  std::byte samples[64] = {};
  const GpuArray image = dense_gpu_array<const void>(samples, Type::U8, shape);
  const GpuOutput out = dense_gpu_array<void>(samples, Type::U8, shape);
  EXPECT_THROW(erode(Context{}, image, out), EnvironmentError);
  EXPECT_THROW(hitmiss(Context{}, image, out, {}), EnvironmentError);
  EXPECT_THROW(asf(Context{}, image, out, {}), EnvironmentError);
}

}  // namespace
}  // namespace tamis
