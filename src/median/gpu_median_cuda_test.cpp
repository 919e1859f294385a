// Medians of device memory, of arrays of others and of frames against those of images on the CPU.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <tamis/gpu_frames.hpp>
#include <tamis/gpu_median.hpp>

#include "median/median_testing.hpp"
#include "morphology/gpu_array_testing.hpp"

namespace tamis {
namespace {

using namespace median_testing;
using morphology_testing::dense_samples;
using morphology_testing::differences;
using morphology_testing::on_cpu;
using morphology_testing::refusal;
using testing::all_views;
using testing::on_stream;
using testing::OnDevice;
using testing::View;
using testing::ViewedArray;

class GpuMedians : public GpuTest {};

const std::vector<Shape> shapes = {{1, 13, 64, 2}, {1, 9, 131, 2}, {4, 7, 48, 3}, {1, 1, 1, 2}};

TEST_F(GpuMedians, arrays_of_every_type_and_view) {
  const cuda::Stream stream(0);
  unsigned seed = 1;
  for (const Type type : filter_types) {
    for (const Shape& shape : shapes) {
      for (const View view : all_views) {
        for (const char* window : {"square:3", "rect:5x4", "disk:3"}) {
          const Image image = random_image(type, shape, seed++);
          const MedianOptions options{.window = window, .border = seed % 2 == 0 ? Border::reflect() : Border::shrink()};
          ViewedArray in(stream, type, shape, view);
          in.upload(dense_samples(image).data());
          ViewedArray out(stream, type, shape, seed % 3 == 0 ? View::Dense : view);
          median(on_stream(stream), in.input(), out.array, options);
          EXPECT_EQ(differences(type, out.download(), dense_samples(median(on_cpu(), image, options))), 0)
              << name(type) << " " << to_string(shape) << " " << testing::describe(view) << " " << to_text(options);
          EXPECT_EQ(differences(type, in.download(), dense_samples(image)), 0) << "the image was written";
        }
      }
    }
  }
}

TEST_F(GpuMedians, arrays_that_are_their_own_output_and_smoothers) {
  const cuda::Stream stream(0);
  for (const Type type : filter_types) {
    const Image image = random_image(type, {1, 37, 64, 2}, 3);
    ViewedArray array(stream, type, image.shape(), View::Dense);
    array.upload(dense_samples(image).data());
    const SmoothOptions options{.width = 7, .height = 15};
    smooth(on_stream(stream), array.input(), array.array, options);
    EXPECT_EQ(differences(type, array.download(), dense_samples(smooth(on_cpu(), image, options))), 0) << name(type);
  }
}

TEST_F(GpuMedians, nan_in_arrays_is_refused_or_left_out) {
  const cuda::Stream stream(0);
  const Image image = random_image(Type::F32, {1, 37, 64, 2}, 3, 0.1);
  ViewedArray in(stream, Type::F32, image.shape(), View::Dense), out(stream, Type::F32, image.shape(), View::Dense);
  in.upload(dense_samples(image).data());
  EXPECT_NE(refusal([&] { median(on_stream(stream), in.input(), out.array, {}); }).find("NaN"), std::string::npos);
  // What is its own output, or is made elsewhere first, is left alone.
  EXPECT_NE(refusal([&] { median(on_stream(stream), in.input(), in.array, {}); }).find("NaN"), std::string::npos);
  EXPECT_EQ(differences(Type::F32, in.download(), dense_samples(image)), 0);
  ViewedArray shifted(stream, Type::F32, image.shape(), View::Shifted);
  const Image before = random_image(Type::F32, image.shape(), 4);
  shifted.upload(dense_samples(before).data());
  EXPECT_NE(refusal([&] { median(on_stream(stream), in.input(), shifted.array, {}); }).find("NaN"), std::string::npos);
  EXPECT_EQ(differences(Type::F32, shifted.download(), dense_samples(before)), 0);
  const MedianOptions ignore{.nan = NanPolicy::Ignore};
  median(on_stream(stream), in.input(), out.array, ignore);
  EXPECT_EQ(differences(Type::F32, out.download(), dense_samples(median(on_cpu(), image, ignore))), 0);
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

TEST_F(GpuMedians, frames_from_the_host_and_back) {
  const Shape shape{1, 61, 133, 2};
  for (const Type type : filter_types) {
    constexpr unsigned count = 5;
    std::vector<Image> images, results;
    for (unsigned i = 0; i < count; ++i) {
      images.push_back(random_image(type, shape, i));
      results.emplace_back(type, shape);
    }
    GpuFrames frames(on_gpu(), type, shape, MedianFrames{.median = {.window = "square:5"}});
    for (unsigned i = 0; i < count; ++i) {
      if (frames.full()) static_cast<void>(frames.take());
      frames.submit(images[i].data(), results[i].data());
    }
    while (frames.in_flight() > 0) static_cast<void>(frames.take());
    for (unsigned i = 0; i < count; ++i) {
      const Image wanted = median(on_cpu(), images[i], {.window = "square:5"});
      ASSERT_EQ(std::memcmp(results[i].data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0)
          << name(type) << " frame " << i;
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
