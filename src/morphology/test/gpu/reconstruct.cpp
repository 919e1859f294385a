// Reconstruction on the GPU against the CPU, which is tested against the definition.
#include <gtest/gtest.h>
#include <tamis/error.hpp>

#include <cstring>
#include <stop_token>

#include "core/test/gpu_test.hpp"
#include "morphology/test/reconstruct_testing.hpp"

namespace tamis {
namespace {

using namespace reconstruct_testing;

class GpuReconstruct : public GpuTest {};

void expect_the_cpus_answer(const Context& gpu, const Pair& pair, const ReconstructOptions& options) {
  Context cpu;
  cpu.device = Device::Cpu;
  const Image wanted = reconstruct(cpu, pair.marker, pair.mask, options);
  const Image got = reconstruct(gpu, pair.marker, pair.mask, options);
  ASSERT_EQ(got.type(), wanted.type());
  ASSERT_EQ(std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0)
      << name(wanted.type()) << " " << to_string(wanted.shape()) << " rank " << wanted.shape().rank << " connectivity "
      << static_cast<int>(options.connectivity) << " by " << static_cast<int>(options.by);
}

void expect_for_every_form(const Context& gpu, const Shape& shape) {
  unsigned seed = 1;
  for (const Type type : filter_types) {
    for (const auto by : {ReconstructOptions::By::Dilation, ReconstructOptions::By::Erosion}) {
      for (const Connectivity connectivity : {Connectivity::Face, Connectivity::Full}) {
        for (const Pair& pair : pairs(type, shape, by == ReconstructOptions::By::Dilation, seed++)) {
          expect_the_cpus_answer(gpu, pair, {by, connectivity});
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(GpuReconstruct, gives_the_cpus_answer_on_images_of_every_type_and_shape) {
  for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{1, 1, 97, 2}, Shape{1, 67, 1, 2}, Shape{1, 32, 64, 2},
                             Shape{1, 71, 103, 2}, Shape{1, 509, 1021, 2}}) {
    if (small_scale() && shape.count() > 10000) continue;
    expect_for_every_form(on_gpu(), shape);
    if (HasFatalFailure()) return;
  }
}

TEST_F(GpuReconstruct, gives_the_cpus_answer_on_volumes_of_every_type_and_shape) {
  for (const Shape& shape :
       {Shape{1, 1, 1, 3}, Shape{1, 17, 67, 3}, Shape{19, 1, 40, 3}, Shape{11, 19, 67, 3}, Shape{61, 97, 131, 3}}) {
    if (small_scale() && shape.count() > 15000) continue;
    expect_for_every_form(on_gpu(), shape);
    if (HasFatalFailure()) return;
  }
}

TEST_F(GpuReconstruct, gives_the_cpus_answer_on_wide_whole_numbers) {
  for (const Shape& shape : {Shape{1, 71, 103, 2}, Shape{11, 19, 67, 3}, Shape{31, 47, 65, 3}, Shape{4, 9, 130, 2}}) {
    expect_widened<std::uint32_t>(on_gpu(), shape);
    expect_widened<std::uint64_t>(on_gpu(), shape);
  }
}

TEST_F(GpuReconstruct, gives_the_cpus_answer_on_stacks_of_images) {
  for (const Shape& shape : {Shape{3, 37, 70, 2}, Shape{5, 1, 3, 2}, Shape{17, 129, 131, 2}}) {
    if (small_scale() && shape.count() > 10000) continue;
    expect_for_every_form(on_gpu(), shape);
    if (HasFatalFailure()) return;
  }
}

TEST_F(GpuReconstruct, a_way_of_a_million_samples_takes_as_many_rounds_as_it_needs) {
  if (small_scale()) GTEST_SKIP() << "too long for this";
  const Pair pair = one_way(Type::U8, {1, 1501, 1601, 2}, true);
  expect_the_cpus_answer(on_gpu(), pair, {ReconstructOptions::By::Dilation, Connectivity::Face});
}

TEST_F(GpuReconstruct, hundreds_of_runs_give_one_answer) {
  if (small_scale()) GTEST_SKIP() << "too long for this";
  Pair pair{Image(), random_image(Type::U8, {1, 700, 900, 2}, 5)};
  pair.marker = marker_for(pair.mask, true, 6, 2000);
  const Image first = reconstruct(on_gpu(), pair.marker, pair.mask);
  for (int i = 0; i < 200; ++i) {
    const Image again = reconstruct(on_gpu(), pair.marker, pair.mask);
    ASSERT_EQ(std::memcmp(first.data(), again.data(), static_cast<std::size_t>(first.bytes())), 0);
  }
}

TEST_F(GpuReconstruct, openings_and_closings_by_reconstruction) {
  Context cpu;
  cpu.device = Device::Cpu;
  for (const Type type : filter_types) {
    const Image image = random_image(type, {1, 211, 307, 2}, 9);
    for (const char* const spec : {"square:5", "shift(square:3,9,0)"}) {
      const Image opened = open_by_reconstruction(on_gpu(), image, {.element = spec});
      const Image closed = close_by_reconstruction(on_gpu(), image, {.element = spec});
      EXPECT_EQ(grid_of(opened).values, grid_of(open_by_reconstruction(cpu, image, {.element = spec})).values);
      EXPECT_EQ(grid_of(closed).values, grid_of(close_by_reconstruction(cpu, image, {.element = spec})).values);
    }
  }
}

TEST_F(GpuReconstruct, errors_are_those_of_the_cpu) {
  const auto message = [](const Context& context, const Image& marker, const Image& mask, ReconstructOptions::By by) {
    try {
      (void)reconstruct(context, marker, mask, {by, Connectivity::Full});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto expect_both = [&](const Image& marker, const Image& mask, ReconstructOptions::By by) {
    const std::string wanted = message({}, marker, mask, by);
    EXPECT_NE(wanted, "");
    EXPECT_EQ(message(on_gpu(), marker, mask, by), wanted);
  };
  const Image mask = random_image(Type::U16, {5, 70, 90, 3}, 1);
  Image marker = random_image(Type::U16, {5, 70, 90, 3}, 1);
  EXPECT_NO_THROW((void)reconstruct(on_gpu(), marker, mask));
  for (const std::int64_t y : {60, 3}) marker.row<std::uint16_t>(2, y)[4] = 65535;
  expect_both(marker, mask, ReconstructOptions::By::Dilation);
  expect_both(mask, marker, ReconstructOptions::By::Erosion);
  const Image nan = random_image(Type::F32, {1, 50, 60, 2}, 1, 0.01);
  expect_both(nan, nan, ReconstructOptions::By::Dilation);
}

TEST_F(GpuReconstruct, hears_cancellation) {
  std::stop_source source;
  Context context = on_gpu();
  context.cancel = source.get_token();
  // From within: the call has begun.
  context.on_progress = [&](const Progress&) { source.request_stop(); };
  const Pair pair = one_way(Type::U8, {1, 301, 302, 2}, true);
  EXPECT_THROW((void)reconstruct(context, pair.marker, pair.mask), Cancelled);
}

TEST_F(GpuReconstruct, what_exceeds_the_limit_of_device_memory_is_refused_with_what_it_takes) {
  Context little = on_gpu();
  little.device_memory_bytes = 1000;
  const Image image = random_image(Type::U8, {1, 60, 33, 2}, 1);
  try {
    static_cast<void>(reconstruct(little, image, image));
    ADD_FAILURE() << "a thousand bytes were enough";
  } catch (const ResourceError& error) {
    EXPECT_EQ(std::string(error.what()),
              "GPU memory: reconstruct of 33x60 takes about 1 MiB at least, got 0 MiB; wanted more free memory, or "
              "device cpu");
  }
}

}  // namespace
}  // namespace tamis
