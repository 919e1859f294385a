// Medians of device memory, of arrays of others and of large images. The answers of all callers: matrix.cpp.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <tamis/gpu/median.hpp>

#include "median/test/testing.hpp"
#include "morphology/test/device_images.hpp"

namespace tamis {
namespace {

using namespace median_testing;
using morphology_testing::dense_samples;
using morphology_testing::differences;
using morphology_testing::on_cpu;
using morphology_testing::refusal;
using testing::on_stream;
using testing::OnDevice;
using testing::View;
using testing::ViewedArray;

class GpuMedians : public GpuTest {};

TEST_F(GpuMedians, an_array_that_is_made_elsewhere_first_stays_where_nan_is_refused) {
  const cuda::Stream stream(0);
  const Image image = random_image(Type::F32, {1, 37, 64, 2}, 3, 0.1),
              before = random_image(Type::F32, image.shape(), 4);
  ViewedArray in(stream, Type::F32, image.shape(), View::Dense), out(stream, Type::F32, image.shape(), View::Shifted);
  in.upload(dense_samples(image).data());
  out.upload(dense_samples(before).data());
  EXPECT_NE(refusal([&] { median(on_stream(stream), in.input(), out.array, {}); }).find("NaN"), std::string::npos);
  EXPECT_EQ(differences(Type::F32, out.download(), dense_samples(before)), 0);
}

/// Prepared once: run by itself, then from a graph, on one image after the other.
void expect_again_and_again(const cuda::Stream& stream, const Context& gpu, Type type, const MedianOptions& options) {
  const Shape shape{1, 21, 77, 2};
  GpuMedian filter(gpu, type, shape, {.median = options, .stream = stream.get()});
  const OnDevice in(stream, random_image(type, shape, 1)), out(stream, random_image(type, shape, 2));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  cuda::check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "capture");
  filter.run(in.memory.data(), out.memory.data());
  cuda::check(cudaStreamEndCapture(stream.get(), &graph), "capture");
  cuda::check(cudaGraphInstantiate(&ready, graph, 0), "make a graph");
  for (unsigned seed = 1; seed < 4; ++seed) {
    const Image image = random_image(type, shape, seed);
    in.upload(image);
    if (seed < 3) {
      filter.run(in.memory.data(), out.memory.data());
      filter.wait();
    } else {
      cuda::check(cudaGraphLaunch(ready, stream.get()), "run a graph");
    }
    out.expect(median(on_cpu(), image, options));
  }
  cuda::check(cudaGraphExecDestroy(ready), "end a graph");
  cuda::check(cudaGraphDestroy(graph), "end a graph");
}

TEST_F(GpuMedians, prepared_ones_again_and_again_and_in_a_graph) {
  const cuda::Stream stream(0);
  for (const Type type : filter_types) {
    for (const char* window : {"square:5", "square:4", "disk:5", "square:131"}) {
      for (const Border& border : {Border::reflect(), Border::shrink()}) {
        expect_again_and_again(stream, on_gpu(), type, {.window = window, .border = border});
      }
    }
  }
}

TEST_F(GpuMedians, prepared_ones_find_nan_wherever_it_is_and_go_on) {
  const cuda::Stream stream(0);
  const Shape shape{3, 19, 46, 3};
  for (const char* window :
       {"square:3", "square:7", "cube:3", "rect:5x1", "rect:1x5", "square:4", "square:6", "disk:2"}) {
    const MedianOptions options{.window = window};
    GpuMedian filter(on_gpu(), Type::F32, shape, {.median = options, .stream = stream.get()});
    const Image clean = random_image(Type::F32, shape, 1);
    const OnDevice in(stream, clean), out(stream, clean);
    for (const auto& [z, y, x] :
         {Offset{0, 0, 0}, Offset{2, 18, 45}, Offset{1, 0, 45}, Offset{1, 18, 0}, Offset{1, 9, 23}}) {
      Image image = random_image(Type::F32, shape, 1);
      morphology_testing::set(image, z, y, x, std::nan(""));
      in.upload(image);
      filter.run(in.memory.data(), out.memory.data());
      EXPECT_NE(refusal([&] { filter.wait(); }).find("NaN"), std::string::npos) << window << " at " << x << " " << y;
      in.upload(clean);
      filter.run(in.memory.data(), out.memory.data());
      filter.wait();
      out.expect(median(on_cpu(), clean, options));
    }
  }
}

TEST_F(GpuMedians, images_of_more_than_two_to_the_31_bytes) {
  if (small_scale()) GTEST_SKIP() << "too large for this";
  Image image(Type::U8, {1, 46349, 46337, 2});
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i + 8 <= image.bytes(); i += 8) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::memcpy(image.data() + i, &state, 8);
  }
  for (const char* window : {"square:3", "disk:2"}) {
    const Image got = median(on_gpu(), image, {.window = window});
    const Image wanted = median(on_cpu(), image, {.window = window});
    ASSERT_EQ(std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0) << window;
  }
}

}  // namespace
}  // namespace tamis
