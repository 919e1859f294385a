// Sweeps over angles on the GPU against the CPU, which is tested against the definition.
#include "line/sweep/sweep.hpp"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/orientation.hpp>

#include "core/test/gpu_test.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using line_detail::SweepResult;
using line_detail::SweepTask;
using morphology_testing::set;

class GpuSweep : public GpuTest {};

const std::vector<Type> grey_types = {Type::U8, Type::U16, Type::I16, Type::F32};

std::vector<double> angles_from(double first, double step, int count) {
  std::vector<double> angles;
  for (int i = 0; i < count; ++i) angles.push_back(first + step * i);
  return angles;
}

/// Finite values, zeros of both signs among them.
Image noise(Type type, const Shape& shape, unsigned seed) {
  Image image = morphology_testing::random_image(type, shape, seed);
  if (type != Type::F32) return image;
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    float& value = image.row<float>(0, 0)[i];
    if (std::isinf(value)) value = 3.25F;
  }
  return image;
}

/// One sample in 100 stands out to the low side (high side) of the others, so that long segments leave something.
Image dotted(Type type, const Shape& shape, bool dark, unsigned seed) {
  Image image = noise(type, shape, seed);
  std::mt19937 random(seed);
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    if (random() % 100 == 0) continue;
    const double value = 20 + static_cast<double>(random() % 30);
    set(image, i / (shape.x * shape.y), i / shape.x % shape.y, i % shape.x, dark ? value : value + 150);
  }
  return image;
}

bool same(const Image& a, const Image& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(b.bytes())) == 0;
}

void expect_the_cpus_answer(const Image& image, const SweepTask& task) {
  SCOPED_TRACE(std::string(name(image.type())) + " " + to_string(image.shape()) + " " + std::string(name(task.lines)) +
               " length " + std::to_string(task.length) + " angles " + std::to_string(task.angles.size()) +
               (task.dark ? " dark" : "") + (task.maps ? " maps" : "") + (task.fit ? " fit" : ""));
  Context gpu;
  gpu.device = Device::Cuda;
  Context cpu;
  cpu.device = Device::Cpu;
  const SweepResult got = line_detail::sweep(gpu, image, task);
  const SweepResult wanted = line_detail::sweep(cpu, image, task);
  ASSERT_EQ(got.image_count, wanted.image_count);
  ASSERT_EQ(got.counts, wanted.counts);
  ASSERT_EQ(got.scale.base, wanted.scale.base);
  ASSERT_EQ(got.scale.step, wanted.scale.step);
  ASSERT_EQ(got.best.empty(), wanted.best.empty());
  if (!task.maps) return;
  ASSERT_TRUE(same(got.best, wanted.best)) << "best";
  ASSERT_TRUE(same(got.worst, wanted.worst)) << "worst";
  ASSERT_TRUE(same(got.twice, wanted.twice)) << "angles";
}

TEST_F(GpuSweep, every_type_phase_and_kind_of_lines_with_maps_and_without) {
  unsigned seed = 1;
  for (const Shape& shape : {Shape{1, 21, 83, 2}, Shape{1, 40, 64, 2}, Shape{1, 1, 30, 2}, Shape{1, 29, 1, 2}}) {
    if (small_scale() && shape.y != 21) continue;
    for (const Type type : grey_types) {
      for (const bool dark : {false, true}) {
        for (const bool maps : {true, false}) {
          const Image image = noise(type, shape, seed++);
          SweepTask task{angles_from(0, small_scale() ? 30 : 9, small_scale() ? 6 : 20), true, 5, Lines::Traced};
          task.dark = dark;
          task.maps = maps;
          ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(image, task));
          task.fit = type != Type::F32;  // infinities have no sum
          ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(image, task));
          task.fit = false;
          task.lines = Lines::Invariant;
          ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(image, task));
        }
      }
    }
  }
}

TEST_F(GpuSweep, segments_of_many_lengths) {
  for (const Type type : grey_types) {
    for (const bool dark : {false, true}) {
      const Image image = dotted(type, {1, 150, 203, 2}, dark, 3);
      for (const int length : {1, 2, 3, 9, 16, 17, 41, 120, 500}) {
        if (small_scale() && (length == 2 || length == 16 || length > 120 || dark)) continue;
        SweepTask task{angles_from(0, 10, 18), true, static_cast<double>(length), Lines::Traced};
        task.dark = dark;
        ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(image, task));
        if (small_scale()) continue;
        task.lines = Lines::Invariant;
        ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(image, task));
      }
    }
  }
}

TEST_F(GpuSweep, more_angles_than_one_launch_takes) {
  for (const Type type : grey_types) {
    const Image image = dotted(type, {1, 90, 130, 2}, false, 5);
    for (const bool maps : {true, false}) {
      SweepTask task{angles_from(0, 0.5, 360), true, 21, Lines::Traced};
      task.maps = maps;
      ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(image, task));
    }
    if (small_scale()) return;
    // Many of these share their segments.
    ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(image, {angles_from(0, 0.5, 360), true, 15, Lines::Invariant}));
  }
}

TEST_F(GpuSweep, segments_that_are_too_long_for_one_launch) {
  for (const Shape& shape : {Shape{1, 20, 3300, 2}, Shape{1, 3300, 20, 2}}) {
    for (const bool maps : {true, false}) {
      SweepTask task{angles_from(0, 30, 6), true, 3000, Lines::Traced};
      task.maps = maps;
      ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(dotted(Type::U8, shape, false, 2), task));
      task.dark = true;
      ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(dotted(Type::F32, shape, true, 2), task));
      if (small_scale()) return;
    }
  }
}

TEST_F(GpuSweep, segments_that_are_too_long_at_the_angles_of_a_later_launch_alone) {
  // Columns of 100 samples fit into a launch, rows of 2000 do not: counts of the first launch may not count twice.
  const Image image = dotted(Type::U8, {1, 100, 2000, 2}, false, 4);
  SweepTask task{angles_from(45, 0.9, small_scale() ? 102 : 130), false, 1500, Lines::Traced};
  for (const bool maps : {false, true}) {
    task.maps = maps;
    ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(image, task));
  }
}

TEST_F(GpuSweep, volumes_slice_by_slice) {
  for (const Lines lines : {Lines::Traced, Lines::Invariant}) {
    for (const Type type : {Type::U16, Type::I16}) {
      ASSERT_NO_FATAL_FAILURE(
          expect_the_cpus_answer(noise(type, {3, 40, 50, 3}, 3), {angles_from(0, 30, 6), true, 11, lines}));
    }
  }
}

TEST_F(GpuSweep, the_middle_wins_where_all_tie) {
  for (const Type type : grey_types) {
    Image flat(type, {1, 30, 47, 2});
    for (std::int64_t i = 0; i < flat.shape().count(); ++i) set(flat, 0, i / 47, i % 47, 7);
    for (const bool cyclic : {false, true}) {
      ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(flat, {angles_from(0, 1, 180), cyclic, 9, Lines::Traced}));
    }
  }
}

TEST_F(GpuSweep, ties_that_go_round_and_segments_that_come_again) {
  // Few values, so that much ties.
  Image image(Type::U8, {1, 60, 81, 2});
  std::mt19937 random(9);
  for (std::int64_t i = 0; i < image.shape().count(); ++i) image.row<std::uint8_t>(0, 0)[i] = random() % 3;
  for (const Lines lines : {Lines::Traced, Lines::Invariant}) {
    for (const bool dark : {false, true}) {
      for (const int count : {1, 2, 7, 36, 360}) {
        const std::vector<double> angles = angles_from(0, 180.0 / count, count);
        for (const bool cyclic : {false, true}) {
          for (const int length : {3, 5, 7}) {
            const SweepTask task{angles, cyclic, static_cast<double>(length), lines, false, dark};
            ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(image, task));
          }
        }
        if (small_scale() && count == 7) return;
      }
    }
  }
}

TEST_F(GpuSweep, minus_zero_is_below_zero) {
  Image image(Type::F32, {1, 40, 60, 2});
  std::mt19937 random(8);
  for (std::int64_t i = 0; i < image.shape().count(); ++i) {
    const float values[] = {-1.0F, -0.0F, 0.0F, 0.0F, -0.0F, 1.0F};
    image.row<float>(0, 0)[i] = values[random() % 6];
  }
  for (const bool dark : {false, true}) {
    for (const Lines lines : {Lines::Traced, Lines::Invariant}) {
      ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(image, {angles_from(0, 15, 12), true, 4, lines, false, dark}));
    }
  }
}

TEST_F(GpuSweep, maps_of_an_image_whose_openings_are_made_in_parts) {
  if (small_scale()) GTEST_SKIP() << "too large for this";
  // 24 MB: some ten of the openings are made at once.
  const Image image = dotted(Type::U16, {1, 3000, 4001, 2}, false, 6);
  ASSERT_NO_FATAL_FAILURE(expect_the_cpus_answer(image, {angles_from(0, 7, 25), true, 31, Lines::Traced}));
}

TEST_F(GpuSweep, orientation_is_the_cpus) {
  Context cpu;
  cpu.device = Device::Cpu;
  for (const Type type : {Type::Bool, Type::U8, Type::I16, Type::F32}) {
    for (const Lines lines : {Lines::Traced, Lines::Invariant}) {
      for (const Phase phase : {Phase::Bright, Phase::Dark}) {
        OrientationOptions options;
        options.lengths = {9, 21};
        options.angles = {0, 180, small_scale() ? 6 : 36};
        options.lines = lines;
        options.phase = phase;
        const Image image = noise(type, {2, 33, 59, 3}, 6);
        const Orientation got = orientation(on_gpu(), image, options);
        const Orientation wanted = orientation(cpu, image, options);
        EXPECT_TRUE(same(got.enhanced, wanted.enhanced)) << name(type);
        EXPECT_TRUE(same(got.contrast, wanted.contrast)) << name(type);
        EXPECT_EQ(morphology_testing::first_difference(morphology_testing::grid_of(got.orientation),
                                                       morphology_testing::grid_of(wanted.orientation)),
                  -1)
            << name(type);
        EXPECT_EQ(got.histogram, wanted.histogram);
        ASSERT_EQ(got.spectra.size(), wanted.spectra.size());
        for (std::size_t i = 0; i < got.spectra.size(); ++i) {
          EXPECT_EQ(got.spectra[i].removed, wanted.spectra[i].removed);
          EXPECT_EQ(got.spectra[i].left, wanted.spectra[i].left);
        }
      }
    }
  }
}

TEST_F(GpuSweep, what_exceeds_the_limit_of_device_memory_is_refused_with_what_it_takes) {
  Context little = on_gpu();
  little.device_memory_bytes = 1000;
  try {
    static_cast<void>(orientation(little, noise(Type::U8, {1, 60, 33, 2}, 1), {}));
    ADD_FAILURE() << "a thousand bytes were enough";
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("GPU memory: a sweep of lines of 33x60 takes about 1 MiB at least"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tamis
