// Medians of frames on the CPU; test/gpu has those on a GPU.
#include <tamis/frames.hpp>

#include <gtest/gtest.h>

#include <cstring>

#include "median/test/testing.hpp"

namespace tamis {
namespace {

TEST(MedianOfFrames, results_are_those_of_images) {
  Context context;
  context.device = Device::Cpu;
  const MedianOptions options{.window = StructuringElement("square:5"), .percentile = 30};
  for (const Type type : {Type::Bool, Type::U8, Type::U16, Type::I16, Type::F32}) {
    const Image frame = median_testing::random_image(type, {1, 50, 70, 2}, 1);
    Image result(type, frame.shape());
    Frames filter(context, type, frame.shape(), MedianFrames{.median = options});
    filter.submit(frame.data(), result.data());
    EXPECT_EQ(filter.take(), result.data());
    const Image wanted = median(context, frame, options);
    EXPECT_EQ(std::memcmp(result.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0) << name(type);
  }
}

}  // namespace
}  // namespace tamis
