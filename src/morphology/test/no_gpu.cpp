// What is said where there is no GPU.
#include <tamis/gpu/morphology.hpp>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu/array.hpp>

namespace tamis {
namespace {

TEST(MorphologyWithoutAGpu, prepared_filters_locked_memory_and_arrays_are_refused_without_a_gpu) {
  if (why_no_gpu().empty()) GTEST_SKIP() << "there is a GPU";
  const Shape shape{1, 8, 8, 2};
  EXPECT_THROW(GpuMorphology(Context{}, Operation::Open, Type::U8, shape, {}), ResourceError);
  EXPECT_THROW(GpuMorphology(Context{}, Type::U8, shape, HitMissOptions{}), ResourceError);
  EXPECT_THROW(PinnedMemory(64), ResourceError);
  std::byte samples[64] = {};
  const GpuArray image = dense_gpu_array<const void>(samples, Type::U8, shape);
  const GpuOutput out = dense_gpu_array<void>(samples, Type::U8, shape);
  EXPECT_THROW(erode(Context{}, image, out), ResourceError);
  EXPECT_THROW(hitmiss(Context{}, image, out, {}), ResourceError);
  EXPECT_THROW(asf(Context{}, image, out, {}), ResourceError);
}

}  // namespace
}  // namespace tamis
