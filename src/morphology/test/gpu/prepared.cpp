// Prepared filters and frames from the host: the order of results, errors, graphs. Their answers: matrix.cpp.
#include <tamis/gpu/morphology.hpp>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "morphology/test/device_images.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;
using testing::OnDevice;

class GpuPreparedMorphology : public GpuTest {};
class GpuFramesOfMorphology : public GpuTest {};

bool same(const Image& a, const Image& b) { return differences(a.type(), dense_samples(a), dense_samples(b)) == 0; }

TEST_F(GpuPreparedMorphology, runs_in_a_graph) {
  for (const Type type : filter_types) {
    for (const char* const element : {"square:15", "square:101", "disk:4"}) {
      const Shape shape{1, 150, 256, 2};
      GpuMorphology filter(on_gpu(), Operation::BotHat, type, shape, {.morphology = {.element = element}});
      const cuda::Stream stream(0, static_cast<cudaStream_t>(filter.stream()));
      const OnDevice in(stream, Image(type, shape));
      const OnDevice out(stream, Image(type, shape));
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t ready = nullptr;
      cuda::check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "capture");
      filter.run(in.data(), out.data());
      cuda::check(cudaStreamEndCapture(stream.get(), &graph), "capture");
      cuda::check(cudaGraphInstantiate(&ready, graph, 0), "make a graph");
      for (unsigned seed = 1; seed < 4; ++seed) {
        const Image image = random_image(type, shape, seed);
        cuda::check(cudaMemcpyAsync(in.data(), image.data(), static_cast<std::size_t>(image.bytes()),
                                    cudaMemcpyHostToDevice, stream.get()),
                    "copy");
        cuda::check(cudaGraphLaunch(ready, stream.get()), "run a graph");
        EXPECT_TRUE(same(out.download(type, shape), bothat(on_cpu(), image, {.element = element})))
            << name(type) << " " << element;
      }
      cuda::check(cudaGraphExecDestroy(ready), "end a graph");
      cuda::check(cudaGraphDestroy(graph), "end a graph");
    }
  }
}

TEST_F(GpuPreparedMorphology, waits_for_nothing_and_says_at_wait_that_there_was_nan) {
  const cuda::Stream stream(0);
  const Shape shape{1, 30, 64, 2};
  const Image good = random_image(Type::F32, shape, 1);
  const Image bad = random_image(Type::F32, shape, 2, 0.1);
  const OnDevice in(stream, good);
  const OnDevice in_bad(stream, bad);
  const OnDevice out(stream, good);
  GpuMorphology refusing(on_gpu(), Operation::Open, Type::F32, shape, {.stream = stream.get()});
  refusing.run(in.data(), out.data());
  {
    testing::HeldStream held(stream);
    refusing.run(in_bad.data(), out.data());
    refusing.run(in.data(), out.data());
    EXPECT_TRUE(held.still_held());
  }
  EXPECT_EQ(refusal([&] { refusing.wait(); }), "open: an image holds NaN; wanted numbers, or nan ignore");
  refusing.wait();  // said once
  EXPECT_TRUE(same(out.download(Type::F32, shape), open(on_cpu(), good)));

  const MorphologyOptions ignore{.element = "rect:4x3", .nan = NanPolicy::Ignore};
  GpuMorphology around(on_gpu(), Operation::Open, Type::F32, shape, {.morphology = ignore, .stream = stream.get()});
  for (const Image* image : {&bad, &good}) {
    around.run(OnDevice(stream, *image).data(), out.data());
    around.wait();
    EXPECT_TRUE(same(out.download(Type::F32, shape), open(on_cpu(), *image, ignore)));
  }
}

TEST_F(GpuPreparedMorphology, what_cannot_be_prepared_is_refused) {
  const auto make = [](Type type, const Shape& shape, const MorphologyOptions& options) {
    return refusal([&] { GpuMorphology(on_gpu(), Operation::Erode, type, shape, {.morphology = options}); });
  };
  EXPECT_EQ(make(Type::U8, {1, 0, 5, 2}, {}), "erode: size z 1, y 0, x 5; wanted 1 or more");
  EXPECT_NE(make(Type::F64, {1, 5, 5, 2}, {}).find("wanted bool, u8"), std::string::npos);
  EXPECT_NE(make(Type::U8, {1, 5, 5, 2}, {.border = Border::constant(-1)}).find("border"), std::string::npos);
  EXPECT_FALSE(make(Type::U8, {1, 5, 5, 2}, {.iterations = 0}).empty());
}

/// FrameRing in page-locked memory, and places for their results.
struct FrameRing {
  FrameRing(Type of, const Shape& extent, int frames) : type(of), shape(extent) {
    for (int i = 0; i < frames; ++i) images.push_back(random_image(type, shape, static_cast<unsigned>(i + 1)));
    bytes = images.front().bytes();
    memory.emplace(bytes * frames);
    results.emplace(bytes * frames);
    for (int i = 0; i < frames; ++i) std::memcpy(frame(i), images[at(i)].data(), static_cast<std::size_t>(bytes));
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] std::byte* frame(int i) const { return memory->data() + bytes * i; }
  [[nodiscard]] std::byte* result(int i) const { return results->data() + bytes * i; }
  [[nodiscard]] Image image_at(const void* samples) const {
    Image image(type, shape);
    std::memcpy(image.data(), samples, static_cast<std::size_t>(bytes));
    return image;
  }

  Type type;
  Shape shape;
  std::int64_t bytes = 0;
  std::vector<Image> images;
  std::optional<PinnedMemory> memory, results;
};

TEST_F(GpuFramesOfMorphology, results_come_in_the_order_of_the_frames) {
  for (const Type type : filter_types) {
    for (const int in_flight : {1, 2, 3, 5}) {
      const FrameRing frames(type, {1, 61, 133, 2}, 9);
      Frames filter(on_gpu(), Operation::Open, type, frames.shape,
                       {.morphology = {.element = "square:15"}, .in_flight = in_flight});
      int taken = 0;
      const auto take = [&] {
        void* const result = filter.take();
        EXPECT_EQ(result, frames.result(taken));
        const Image wanted = open(on_cpu(), frames.images[FrameRing::at(taken)], {.element = "square:15"});
        EXPECT_TRUE(same(frames.image_at(result), wanted)) << name(type) << " frame " << taken;
        ++taken;
      };
      for (int i = 0; i < 9; ++i) {
        if (filter.full()) take();
        filter.submit(frames.frame(i), frames.result(i));
        EXPECT_LE(filter.in_flight(), in_flight);
      }
      while (filter.in_flight() > 0) take();
      EXPECT_EQ(taken, 9);
    }
  }
}

TEST_F(GpuFramesOfMorphology, a_frame_too_many_and_a_result_too_many_are_errors) {
  const FrameRing frames(Type::U8, {1, 16, 16, 2}, 3);
  Frames filter(on_gpu(), Operation::Erode, Type::U8, frames.shape, {.in_flight = 2});
  EXPECT_EQ(refusal([&] { filter.take(); }), "a result while no frame is in flight; wanted submit() first");
  filter.submit(frames.frame(0), frames.result(0));
  filter.submit(frames.frame(1), frames.result(1));
  EXPECT_TRUE(filter.full());
  EXPECT_EQ(refusal([&] { filter.submit(frames.frame(2), frames.result(2)); }),
            "a frame while 2 are in flight; wanted take() first, or more in flight");
  EXPECT_EQ(filter.take(), frames.result(0));
  EXPECT_EQ(filter.take(), frames.result(1));
  for (const int in_flight : {0, 65}) {
    EXPECT_NE(refusal([&] {
                Frames(on_gpu(), Operation::Erode, Type::U8, frames.shape, {.in_flight = in_flight});
              }).find("wanted 1 to 64"),
              std::string::npos);
  }
}

TEST_F(GpuFramesOfMorphology, nan_is_told_with_its_frame) {
  FrameRing frames(Type::F32, {1, 20, 40, 2}, 3);
  const Image bad = random_image(Type::F32, frames.shape, 1, 0.1);
  std::memcpy(frames.frame(1), bad.data(), static_cast<std::size_t>(frames.bytes));
  Frames filter(on_gpu(), Operation::Close, Type::F32, frames.shape, {});
  for (int i = 0; i < 3; ++i) filter.submit(frames.frame(i), frames.result(i));
  EXPECT_EQ(filter.take(), frames.result(0));
  EXPECT_EQ(refusal([&] { filter.take(); }), "close: a frame holds NaN; wanted numbers, or nan ignore");
  EXPECT_EQ(filter.take(), frames.result(2));
  EXPECT_TRUE(same(frames.image_at(frames.result(2)), close(on_cpu(), frames.images[2])));
}

TEST_F(GpuFramesOfMorphology, may_end_or_move_with_frames_in_flight) {
  const FrameRing frames(Type::U8, {1, 1000, 1024, 2}, 3);
  for (int round = 0; round < 5; ++round) {
    auto filter = std::make_unique<Frames>(on_gpu(), Operation::Open, Type::U8, frames.shape, Frames::Options{});
    for (int i = 0; i < 3; ++i) filter->submit(frames.frame(i), frames.result(i));
    Frames moved = std::move(*filter);
    filter.reset();
    EXPECT_EQ(moved.take(), frames.result(0));
  }
  // The memory of the frames is nobody's any more: the last round has written it whole.
  EXPECT_TRUE(same(frames.image_at(frames.result(2)), open(on_cpu(), frames.images[2])));
}

}  // namespace
}  // namespace tamis
