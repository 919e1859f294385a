// Medians and the smoother by every call that leads to a GPU: host, slabs of one row, arrays in seven views, prepared,
// frames.
#include <tamis/gpu/median.hpp>

#include <string>
#include <vector>

#include "median/gpu/filter.hpp"
#include "median/test/testing.hpp"
#include "morphology/test/filter_callers.hpp"

namespace tamis {
namespace {

using namespace median_testing;
using morphology_testing::expect_of_every_caller;
using morphology_testing::expect_refusal_of_every_caller;
using morphology_testing::FilterCalls;
using morphology_testing::slabs_of;
using median_detail::plan_median;
using median_detail::plan_smooth;
namespace gpu = median_detail::gpu;

class GpuMedianMatrix : public GpuTest {};

FilterCalls calls_of(const MedianOptions& options) {
  FilterCalls calls;
  calls.what = "median " + to_text(options);
  calls.image = [=](const Context& context, const Image& image) { return median(context, image, options); };
  calls.gpu_filter = [=](Type type, const Shape& shape) { return gpu::make_filter(plan_median(type, shape, options)); };
  calls.array = [=](const Context& context, const GpuArray& image, const GpuOutput& out) {
    median(context, image, out, options);
  };
  calls.prepared = [=](Type type, const Shape& shape, void* stream) {
    return std::make_shared<GpuMedian>(morphology_testing::on_gpu(), type, shape, GpuMedian::Options{options, stream});
  };
  calls.frames = [=](Type type, const Shape& shape) {
    return std::make_unique<Frames>(morphology_testing::on_gpu(), type, shape, MedianFrames{options, 3});
  };
  return calls;
}

FilterCalls calls_of(const SmoothOptions& options) {
  FilterCalls calls;
  calls.what = "smooth border " + to_string(options.border);
  calls.image = [=](const Context& context, const Image& image) { return smooth(context, image, options); };
  calls.gpu_filter = [=](Type type, const Shape& shape) { return gpu::make_filter(plan_smooth(type, shape, options)); };
  calls.array = [=](const Context& context, const GpuArray& image, const GpuOutput& out) {
    smooth(context, image, out, options);
  };
  calls.prepared = [=](Type type, const Shape& shape, void* stream) {
    return std::make_shared<GpuMedian>(morphology_testing::on_gpu(), type, shape, options, stream);
  };
  return calls;
}

const std::vector<Border> borders = {Border::reflect(),   Border::nearest(), Border::shrink(),
                                     Border::constant(1), Border::mirror(),  Border::wrap()};
const std::vector<Shape> flat_shapes = {{1, 13, 64, 2}, {1, 9, 131, 2}, {3, 5, 33, 2}, {4, 7, 48, 3}, {1, 1, 1, 2}};
const std::vector<std::string> windows = {"square:3", "rect:5x4",  "disk:3",  "square:1",
                                          "square:9", "rect:1x15", "cross:4", "shift(square:3,0,6)"};
const std::vector<Shape> volumes = {{7, 11, 48, 3}, {9, 6, 37, 3}};
const std::vector<std::string> solid_windows = {"cube:3", "box:2x3x4", "ball:2", "shift(cube:3,1,-3,2)"};

template <class Value>
const Value& turn(const std::vector<Value>& values, std::size_t number) {
  return values[number % values.size()];
}

TEST_F(GpuMedianMatrix, every_type_border_and_window) {
  const cuda::Stream stream(0);
  unsigned number = 0;
  for (const Type type : filter_types) {
    for (const Border& border : borders) {
      for (const std::string& window : windows) {
        ++number;
        const double percentile = number % 3 == 0 ? 20 : 50;
        const std::int64_t iterations = number % 4 == 0 ? 2 : 1;
        expect_of_every_caller(stream, calls_of(MedianOptions{window, percentile, iterations, border}),
                               random_image(type, turn(flat_shapes, number), number));
        expect_of_every_caller(stream, calls_of(MedianOptions{turn(solid_windows, number), percentile, 1, border}),
                               random_image(type, turn(volumes, number), number));
        if (HasFailure()) return;
      }
      expect_of_every_caller(stream, calls_of(SmoothOptions{7, 15, 1, 1 + number % 2, border}),
                             random_image(type, {1, 37, 64, 2}, number));
      expect_of_every_caller(stream, calls_of(SmoothOptions{5, 4, 3, 1, border}),
                             random_image(type, volumes[0], number));
    }
  }
}

TEST_F(GpuMedianMatrix, nan_is_left_out) {
  const cuda::Stream stream(0);
  unsigned number = 0;
  for (const double share : {0.0, 0.1, 0.9, 1.0}) {
    for (const Border& border : borders) {
      for (const std::string& window : windows) {
        ++number;
        const MedianOptions options{window, 50, 1 + number % 2, border, NanPolicy::Ignore};
        expect_of_every_caller(stream, calls_of(options),
                               random_image(Type::F32, turn(flat_shapes, number), number, share));
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(GpuMedianMatrix, nan_is_refused) {
  const cuda::Stream stream(0);
  const Image image = random_image(Type::F32, {1, 37, 64, 2}, 3, 0.1);
  for (const std::string& window : windows) {
    expect_refusal_of_every_caller(stream, calls_of(MedianOptions{.window = window}), image);
  }
  expect_refusal_of_every_caller(stream, calls_of(SmoothOptions{7, 15}), image);
  expect_refusal_of_every_caller(stream, calls_of(MedianOptions{.window = "cube:3"}),
                                 random_image(Type::F32, {6, 9, 33, 3}, 3, 0.1));
}

TEST_F(GpuMedianMatrix, little_device_memory_means_slabs_of_one_row_or_slice) {
  for (const Border& border : borders) {
    if (border == Border::wrap()) continue;  // a slab does not have what it shows
    const FilterCalls flat = calls_of(MedianOptions{"rect:3x4", 50, 2, border});
    EXPECT_EQ(slabs_of(flat, random_image(Type::U8, {1, 60, 33, 2}, 1)), 60) << to_string(border);
    const FilterCalls solid = calls_of(MedianOptions{"cube:3", 50, 1, border});
    EXPECT_EQ(slabs_of(solid, random_image(Type::F32, {30, 9, 33, 3}, 1)), 30) << to_string(border);
  }
  EXPECT_EQ(slabs_of(calls_of(SmoothOptions{7, 15}), random_image(Type::I16, {1, 60, 33, 2}, 1)), 60);
}

}  // namespace
}  // namespace tamis
