// Traced lines on the GPU against the CPU, which is tested against the definition: whole images, borders included.
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <tamis/gpu/morphology.hpp>

#include "core/gpu/device_image.hpp"
#include "line/traced/gpu/run.hpp"
#include "morphology/test/device_images.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;
using testing::all_views;
using testing::on_stream;
using testing::OnDevice;
using testing::View;
using testing::ViewedArray;

class GpuTraced : public GpuTest {};

const std::vector<Operation> moves = {Operation::Erode, Operation::Dilate, Operation::Open, Operation::Close};

MorphologyOptions along(std::int64_t length, double angle, const Border& border = {}) {
  return {.element = StructuringElement::line(static_cast<double>(length), angle),
          .border = border,
          .lines = Lines::Traced};
}

bool looks_for_low(Operation operation) {
  return operation == Operation::Erode || operation == Operation::Open || operation == Operation::TopHat;
}

/// Noise of which segments of this length leave something: few samples are in the half of the range that they look for.
Image noise_for(Operation operation, std::int64_t length, Type type, const Shape& shape, unsigned seed) {
  Image image = random_image(type, shape, seed);
  const Grid grid = grid_of(image);
  std::mt19937 random(seed);
  const bool low = looks_for_low(operation);
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    if (static_cast<std::int64_t>(random()) % (length / 2 + 1) == 0) continue;
    const double value = grid.values[static_cast<std::size_t>(i)];
    double other = low ? std::abs(value) : -std::abs(value);
    if (type == Type::Bool) other = low ? 1 : 0;
    if (type != Type::F32 && type != Type::Bool) {
      other = std::floor(low ? grid.highest - (grid.highest - value) / 2 : grid.lowest + (value - grid.lowest) / 2);
    }
    set(image, i / (shape.x * shape.y), i / shape.x % shape.y, i % shape.x, other);
  }
  return image;
}

void expect_the_cpus_answer(Operation operation, const Image& image, const MorphologyOptions& options) {
  Context gpu;
  gpu.device = Device::Cuda;
  const Image wanted = morphology(on_cpu(), operation, image, options);
  const Image got = morphology(gpu, operation, image, options);
  ASSERT_EQ(std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0)
      << name(operation) << " of " << to_string(image.shape()) << " rank " << image.shape().rank << " "
      << name(image.type()) << " by " << options.element.spec() << " border " << to_string(options.border)
      << " iterations " << options.iterations;
}

void expect_on_noise(Operation operation, Type type, const Shape& shape, std::int64_t length, double angle,
                     const Border& border = {}) {
  static unsigned seed = 1;
  expect_the_cpus_answer(operation, noise_for(operation, length, type, shape, seed++), along(length, angle, border));
}

Border border_of(std::int64_t number) { return number % 3 == 0 ? Border::fit() : Border::neutral(); }

TEST_F(GpuTraced, openings_of_every_length_are_the_cpus) {
  std::vector<std::int64_t> lengths = {101, 255, 700, 3000};
  for (std::int64_t length = 1; length <= 64; ++length) lengths.push_back(length);
  const double step = small_scale() ? 67 : 4.5;
  for (const std::int64_t length : lengths) {
    if (small_scale() && length % 8 > 1 && length < 3000) continue;
    for (double angle = static_cast<double>(length % 9) / 2; angle < 180; angle += step) {
      const Operation operation = length % 2 == 0 ? Operation::Open : Operation::Close;
      ASSERT_NO_FATAL_FAILURE(expect_on_noise(operation, Type::U8, {1, 71, 83, 2}, length, angle, border_of(length)));
    }
  }
}

TEST_F(GpuTraced, openings_at_every_half_degree_are_the_cpus) {
  const std::vector<Type> types = {Type::U8, Type::U16, Type::F32};
  for (int half_degrees = -10; half_degrees < 370; half_degrees += small_scale() ? 61 : 1) {
    for (const std::int64_t length : {2, 9, 21, 41, 130}) {
      const Type type = types[static_cast<std::size_t>(half_degrees + 10 + length) % types.size()];
      ASSERT_NO_FATAL_FAILURE(expect_on_noise(Operation::Open, type, {1, 150, 203, 2}, length, half_degrees / 2.0));
    }
  }
}

TEST_F(GpuTraced, every_type_and_operation_on_odd_shapes) {
  const std::vector<Shape> shapes = {{1, 1, 1, 2},  {1, 1, 40, 2},  {1, 37, 1, 2},  {1, 2, 150, 2}, {1, 130, 3, 2},
                                     {1, 5, 17, 2}, {1, 70, 90, 2}, {1, 33, 64, 2}, {1, 61, 131, 2}};
  std::mt19937 random(7);
  const int rounds = small_scale() ? 1 : 12;
  for (const Shape& shape : shapes) {
    if (small_scale() && shape.x % 2 == 0 && shape.y != 33) continue;
    for (const Type type : filter_types) {
      for (const Operation operation : all_operations) {
        if (small_scale() && (operation == Operation::InnerGradient || operation == Operation::OuterGradient)) continue;
        for (int round = 0; round < rounds; ++round) {
          const auto length = static_cast<std::int64_t>(1 + random() % (round % 4 == 3 ? 300 : 40));
          const double angle = (random() % 720) / 4.0;
          ASSERT_NO_FATAL_FAILURE(expect_on_noise(operation, type, shape, length, angle, border_of(random() % 6)));
        }
      }
    }
  }
}

TEST_F(GpuTraced, images_of_many_blocks_and_long_segments) {
  if (small_scale()) GTEST_SKIP() << "too large for this";
  for (const Shape& shape : {Shape{1, 700, 1211, 2}, Shape{1, 1600, 250, 2}, Shape{1, 16, 2900, 2}}) {
    for (const Type type : filter_types) {
      for (const std::int64_t length : {10, 43, 102, 255, 700, 3002}) {
        const Operation operation = moves[static_cast<std::size_t>(length) % moves.size()];
        const Image image = noise_for(operation, length, type, shape, 5);
        for (double angle = 1; angle < 180; angle += 22.5) {
          ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(operation, image, along(length, angle, border_of(length))));
        }
      }
    }
  }
}

TEST_F(GpuTraced, lines_that_are_cut_into_several_tiles) {
  for (const Shape& shape : {Shape{1, 5, 3500, 2}, Shape{1, 3500, 5, 2}}) {
    const bool wide = shape.x > shape.y;
    for (const Type type : {Type::U8, Type::I16, Type::F32, Type::Bool}) {
      for (const std::int64_t length : {3, 20, 200, 1000, 1500, 2500, 9000}) {
        for (const double turn : {0.0, 0.25, 20.0, 44.5, -0.5, -30.0, 91.0}) {
          if (small_scale() && (type != Type::U8 || turn == 20 || turn == -30 || length == 200)) continue;
          const double angle = wide ? turn : 90 + turn;
          for (const Operation operation : {Operation::Open, Operation::Dilate}) {
            if (small_scale() && operation == Operation::Dilate && turn != 0) continue;
            ASSERT_NO_FATAL_FAILURE(expect_on_noise(operation, type, shape, length, angle, border_of(length)));
          }
        }
      }
    }
  }
}

TEST_F(GpuTraced, volumes_and_stacks_slice_by_slice) {
  for (const Type type : filter_types) {
    for (const Shape& shape : {Shape{3, 40, 50, 3}, Shape{4, 21, 35, 2}}) {
      for (const double angle : {0.0, 33.0, 90.0, 160.0}) {
        if (small_scale() && angle > 33) continue;
        ASSERT_NO_FATAL_FAILURE(expect_on_noise(Operation::Close, type, shape, 11, angle));
      }
    }
  }
  if (small_scale()) return;
  // More slices than a launch has.
  for (const double angle : {10.0, 100.0}) {
    ASSERT_NO_FATAL_FAILURE(expect_on_noise(Operation::Open, Type::U8, {66000, 3, 9, 3}, 3, angle));
  }
}

TEST_F(GpuTraced, iterations) {
  for (const Type type : filter_types) {
    for (const std::int64_t iterations : {2, 3, 40}) {
      for (const Operation operation : {Operation::Erode, Operation::Open, Operation::BotHat}) {
        if (small_scale() && operation != Operation::Open) continue;
        for (const std::int64_t length : {4, 7}) {
          MorphologyOptions options = along(length, 30, border_of(iterations));
          options.iterations = iterations;
          const Image image = noise_for(operation, length * iterations, type, {1, 50, 77, 2}, 4);
          ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(operation, image, options));
        }
      }
    }
  }
}

TEST_F(GpuTraced, nan_is_left_out_where_asked_and_refused_otherwise) {
  const Shape shape{1, 31, 96, 2};
  for (const double share : {0.05, 0.9, 1.0}) {
    const Image image = random_image(Type::F32, shape, 3, share);
    for (const Operation operation : all_operations) {
      for (const double angle : {0.0, 62.0}) {
        MorphologyOptions options = along(6, angle);
        EXPECT_THROW((void)morphology(on_gpu(), operation, image, options), InputError);
        options.nan = NanPolicy::Ignore;
        const Image got = morphology(on_gpu(), operation, image, options);
        const Image wanted = morphology(on_cpu(), operation, image, options);
        EXPECT_EQ(differences(Type::F32, dense_samples(got), dense_samples(wanted)), 0)
            << name(operation) << " " << share << " " << angle;
        if (small_scale()) break;
      }
    }
  }
}

TEST_F(GpuTraced, the_kernel_finds_nan_wherever_it_is_and_none_behind_the_rows) {
  const cuda::Stream stream(0);
  const cuda::DeviceBuffer<unsigned> flag(stream, 1);
  const auto finds = [&](const Image& image, std::int64_t length, double angle) {
    const Shape& shape = image.shape();
    const cuda::DeviceStore from(stream, Type::F32, shape), to(stream, Type::F32, shape);
    const auto bytes = static_cast<std::size_t>(from.get().slice * shape.z);
    cuda::check(cudaMemsetAsync(from.get().data, 0xff, bytes, stream.get()), "fill with NaN");
    from.fill(stream, image.data());
    flag.clear();
    const line_detail::TracedSegment segment{length, length / 2, angle, false};
    const auto what = length % 2 == 0 ? line_detail::Along::Close : line_detail::Along::Open;
    line_detail::gpu::traced(stream, {what, segment, Type::F32, shape, from.get(), to.get(), flag.data()});
    unsigned found = 0;
    cuda::check(cudaMemcpyAsync(&found, flag.data(), sizeof(found), cudaMemcpyDeviceToHost, stream.get()), "read");
    stream.synchronize();
    return found != 0;
  };
  for (const Shape& shape : {Shape{2, 67, 45, 3}, Shape{1, 4, 3001, 2}, Shape{1, 2501, 3, 2}, Shape{1, 1, 1, 2}}) {
    const std::int64_t last = shape.count() - 1;
    for (const std::int64_t length : {1, 2, 9, 40, 2001}) {
      for (const double angle : {0.0, 20.0, 45.0, 71.0, 90.0, 120.0, 179.0}) {
        Image image = random_image(Type::F32, shape, 5);  // infinities among the samples
        float* const samples = image.row<float>(0, 0);
        ASSERT_FALSE(finds(image, length, angle)) << to_string(shape) << " " << length << " " << angle;
        for (const std::int64_t at : {std::int64_t{0}, shape.x - 1, last / 2, last - shape.x + 1, last}) {
          const float value = std::exchange(samples[at], std::numeric_limits<float>::quiet_NaN());
          ASSERT_TRUE(finds(image, length, angle)) << to_string(shape) << " " << length << " " << angle << " " << at;
          samples[at] = value;
        }
        if (small_scale()) break;
      }
    }
  }
}

TEST_F(GpuTraced, arrays_on_the_gpu_in_any_view) {
  const cuda::Stream stream(0);
  unsigned seed = 1;
  for (const Type type : filter_types) {
    for (const Shape& shape : {Shape{1, 33, 64, 2}, Shape{2, 19, 51, 3}}) {
      for (const View view : all_views) {
        if (small_scale() && view != View::Dense && view != View::Sliced) continue;
        const MorphologyOptions options = along(seed % 20 + 1, seed * 7.0, border_of(seed));
        const Operation operation = all_operations[seed % all_operations.size()];
        const Image image = noise_for(operation, 10, type, shape, seed++);
        ViewedArray in(stream, type, shape, view);
        in.upload(dense_samples(image).data());
        ViewedArray out(stream, type, shape, seed % 3 == 0 ? View::Dense : view);
        morphology(on_stream(stream), operation, in.input(), out.array, options);
        const Image wanted = morphology(on_cpu(), operation, image, options);
        ASSERT_EQ(differences(type, out.download(), dense_samples(wanted)), 0)
            << name(operation) << " " << name(type) << " " << testing::describe(view);
        ASSERT_EQ(differences(type, in.download(), dense_samples(image)), 0) << "the image was written";
      }
    }
  }
}

TEST_F(GpuTraced, prepared_filters_again_and_again_and_in_a_graph) {
  const cuda::Stream stream(0);
  for (const Type type : filter_types) {
    for (const Shape& shape : {Shape{1, 150, 256, 2}, Shape{1, 41, 77, 2}, Shape{1, 7, 3000, 2}}) {
      const std::int64_t length = shape.y == 7 ? 2000 : 41;
      const MorphologyOptions options = along(length, shape.y == 41 ? 71 : 3);
      GpuMorphology filter(on_gpu(), Operation::Open, type, shape, {.morphology = options, .stream = stream.get()});
      const auto image_of = [&](unsigned seed) { return noise_for(Operation::Open, length, type, shape, seed); };
      const OnDevice in(stream, image_of(1));
      const OnDevice out(stream, image_of(2));
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t ready = nullptr;
      cuda::check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "capture");
      filter.run(in.memory.data(), out.memory.data());
      cuda::check(cudaStreamEndCapture(stream.get(), &graph), "capture");
      cuda::check(cudaGraphInstantiate(&ready, graph, 0), "make a graph");
      for (unsigned seed = 1; seed < 5; ++seed) {
        in.upload(image_of(seed));
        if (seed < 3) {
          filter.run(in.memory.data(), out.memory.data());
          filter.wait();
        } else {
          cuda::check(cudaGraphLaunch(ready, stream.get()), "run a graph");
        }
        out.expect(open(on_cpu(), image_of(seed), options));
      }
      cuda::check(cudaGraphExecDestroy(ready), "end a graph");
      cuda::check(cudaGraphDestroy(graph), "end a graph");
    }
  }
}

TEST_F(GpuTraced, prepared_filters_refuse_nan_and_then_go_on) {
  const cuda::Stream stream(0);
  const Shape shape{1, 50, 61, 2};
  for (const Operation operation : {Operation::Open, Operation::TopHat, Operation::Gradient}) {
    GpuMorphology filter(on_gpu(), operation, Type::F32, shape, {.morphology = along(9, 33), .stream = stream.get()});
    const Image numbers = random_image(Type::F32, shape, 5);
    const OnDevice in(stream, numbers);
    const OnDevice out(stream, numbers);
    const auto run = [&](const Image& image) {
      in.upload(image);
      filter.run(in.memory.data(), out.memory.data());
      filter.wait();
    };
    EXPECT_NO_THROW(run(numbers));
    EXPECT_THROW(run(random_image(Type::F32, shape, 5, 0.01)), InputError);
    EXPECT_NO_THROW(run(numbers));
  }
}

TEST_F(GpuTraced, frames_from_the_host_and_back) {
  const Shape shape{1, 61, 133, 2};
  const MorphologyOptions options = along(21, 130);
  for (const Type type : filter_types) {
    constexpr unsigned count = 7;
    std::vector<Image> images, results;
    for (unsigned i = 0; i < count; ++i) {
      images.push_back(noise_for(Operation::Close, 21, type, shape, i));
      results.emplace_back(type, shape);
    }
    Frames frames(on_gpu(), Operation::Close, type, shape, {.morphology = options, .in_flight = 3});
    for (unsigned i = 0; i < count; ++i) {
      if (frames.full()) static_cast<void>(frames.take());
      frames.submit(images[i].data(), results[i].data());
    }
    while (frames.in_flight() > 0) static_cast<void>(frames.take());
    for (unsigned i = 0; i < count; ++i) {
      const Image wanted = close(on_cpu(), images[i], options);
      ASSERT_EQ(std::memcmp(results[i].data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0)
          << name(type) << " frame " << i;
    }
  }
}

TEST_F(GpuTraced, images_of_more_than_two_to_the_31_bytes) {
  if (small_scale()) GTEST_SKIP() << "too large for this";
  Image image(Type::U8, {1, 46349, 46337, 2});
  std::mt19937_64 random(1);
  for (std::int64_t i = 0; i + 8 <= image.bytes(); i += 8) {
    const std::uint64_t samples = random() | random();  // high ones, so that something is left
    std::memcpy(image.data() + i, &samples, 8);
  }
  for (const double angle : {28.0, 77.0})
    ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(Operation::Open, image, along(21, angle)));
}

}  // namespace
}  // namespace tamis
