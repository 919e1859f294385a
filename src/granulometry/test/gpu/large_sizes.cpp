// Sizes around those that six, seven and eight planes hold, against the CPU.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include <tamis/granulometry.hpp>

#include "core/gpu/stream.hpp"
#include "core/test/gpu_test.hpp"
#include "granulometry/gpu/window_run.hpp"
#include "granulometry/request.hpp"
#include "granulometry/test/gpu/large_objects.hpp"
#include "granulometry/test/testing.hpp"

namespace tamis {
namespace {

using namespace granulometry_detail;
using namespace granulometry_detail::gpu;
using namespace large_objects;
using granulometry_testing::random_object;

class GpuLargeSizes : public GpuTest {};

GranulometryOptions up_to(std::optional<std::int64_t> max_size) {
  GranulometryOptions options;
  options.max_size = max_size;
  return options;
}

void add_cube(Image& image, std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t edge) {
  for (std::int64_t i = 0; i < edge; ++i)
    for (std::int64_t j = 0; j < edge; ++j)
      for (std::int64_t k = 0; k < edge; ++k) set(image, z + i, y + j, x + k);
}

/// A run of one shape, which objects of that shape go through one after the other.
class CheckedRun {
 public:
  explicit CheckedRun(const Shape& shape)
      : scope_(0), stream_(0), shape_(shape), bits_(stream_, shape.z * shape.y * words()), run_(stream_, task()) {}

  /// Compares the curve with the CPU's.
  void expect_right(const Image& object, std::optional<std::int64_t> max_size = {}) {
    SCOPED_TRACE(to_string(shape_) + ", up to " + std::to_string(max_size.value_or(-1)));
    const GranulometryOptions options = up_to(max_size);
    cuda::check(cudaMemcpyAsync(bits_.data(), object.data(), bits_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
                "copy bits");
    WindowQuery query;
    query.cap = max_size ? *max_size + 1 : 0;
    query.end = query.inner_end = shape_.z;
    bound_ = run_.measure({bits_.data(), words(), shape_.z}, nullptr, query);
    run_.open(query);
    stream_.synchronize();
    Tally tally;
    tally.removed_by = run_.counts();
    tally.removed_by[0] = 0;
    const Sizes wanted = granulometry(cpu(), object, options);
    const Sizes got = sizes_of(tally, options);
    EXPECT_EQ(got.volume, wanted.volume);
    EXPECT_EQ(got.limited, wanted.limited);
    const std::int64_t largest = wanted.limited ? *max_size + 1 : static_cast<std::int64_t>(wanted.volume.size()) - 1;
    EXPECT_EQ(run_.largest(), largest);
    EXPECT_GE(bound_, largest);
  }

  [[nodiscard]] int planes() const { return run_.planes(); }

 private:
  [[nodiscard]] std::int64_t words() const { return (shape_.x + 63) / 64; }
  [[nodiscard]] WindowTask task() const {
    WindowTask task;
    task.windows = Windows(shape_.z, shape_.y, shape_.x);
    return task;
  }

  cuda::DeviceScope scope_;
  cuda::Stream stream_;
  Shape shape_;
  cuda::DeviceBuffer<std::uint64_t> bits_;
  WindowRun run_;
  std::int64_t bound_ = 0;
};

void expect_right(const Image& object) { CheckedRun(object.shape()).expect_right(object); }

TEST_F(GpuLargeSizes, an_octahedron_among_small_pores) {
  for (std::int64_t size = 60; size <= 70; ++size) {
    SCOPED_TRACE(size);
    Image object = small_foam({180, 170, 230, 3});
    add_octahedron(object, 90, 80, 110, size - 1);
    CheckedRun run(object.shape());
    run.expect_right(object);
  }
}

TEST_F(GpuLargeSizes, sizes_that_take_more_planes_than_seven) {
  for (const std::int64_t size : {126, 127, 128, 129, 130}) {
    SCOPED_TRACE(size);
    Image object = small_foam({290, 280, 330, 3});
    add_octahedron(object, 140, 142, 160, size - 1);
    expect_right(object);
  }
}

TEST_F(GpuLargeSizes, sizes_past_255) {
  if (small_scale()) GTEST_SKIP() << "a large volume";
  Image object(Type::Bool, {530, 530, 1000, 3});
  add_octahedron(object, 262, 265, 266, 258);
  add_cube(object, 60, 60, 580, 400);
  CheckedRun run(object.shape());
  run.expect_right(object);
  run.expect_right(object);
}

TEST_F(GpuLargeSizes, octahedra_and_cubes_at_sides_and_in_corners) {
  const Shape shape{200, 190, 250, 3};
  for (const std::int64_t at : {0, 20, 61, 62, 63}) {
    for (const std::int64_t radius : {64, 90, 130}) {
      SCOPED_TRACE(std::to_string(at) + " " + std::to_string(radius));
      Image object(Type::Bool, shape);
      add_octahedron(object, at, at, at, radius);
      add_octahedron(object, 199 - at, 95, 249 - at, radius);
      expect_right(object);
    }
  }
  for (const std::int64_t edge : {124, 125, 126, 131, 150}) {
    SCOPED_TRACE(edge);
    Image object = small_foam(shape);
    add_cube(object, 0, 0, 0, edge);
    expect_right(object);
    add_cube(object, 200 - edge, 190 - edge, 250 - edge, edge);
    expect_right(object);
  }
}

TEST_F(GpuLargeSizes, two_octahedra_near_each_other) {
  for (const std::int64_t gap : {0, 1, 2, 5, 30, 61, 63, 80}) {
    SCOPED_TRACE(gap);
    Image along_z(Type::Bool, {340, 150, 150, 3});
    add_octahedron(along_z, 66, 70, 70, 65);
    add_octahedron(along_z, 66 + 130 + gap, 75, 72, 63);
    expect_right(along_z);
    Image along_x(Type::Bool, {140, 150, 350, 3});
    add_octahedron(along_x, 66, 70, 70, 65);
    add_octahedron(along_x, 70, 75, 70 + 130 + gap, 64);
    expect_right(along_x);
    Image across(Type::Bool, {140 + gap, 140 + gap, 140 + gap, 3});
    add_octahedron(across, 64, 64, 64, 63);
    add_octahedron(across, 66 + gap, 66 + gap, 66 + gap, 66);
    expect_right(across);
  }
  Image apart(Type::Bool, {300, 140, 400, 3});
  add_octahedron(apart, 66, 70, 70, 65);
  add_octahedron(apart, 230, 70, 330, 62);
  expect_right(apart);
}

TEST_F(GpuLargeSizes, holes_in_a_full_volume) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE(seed);
    const Shape shape{240, 230, 270, 3};
    expect_right(random_object(shape, 1 - 20.0 * seed / static_cast<double>(shape.count()), seed));
  }
}

TEST_F(GpuLargeSizes, a_run_goes_from_object_to_object) {
  const Shape shape{200, 190, 250, 3};
  Image large = small_foam(shape);
  add_octahedron(large, 90, 80, 110, 70);
  Image two(Type::Bool, shape);
  add_octahedron(two, 64, 64, 64, 63);
  add_octahedron(two, 130, 120, 180, 66);
  const Image small = small_foam(shape);
  CheckedRun run(shape);
  for (const Image* object : std::vector<const Image*>{&small, &large, &large, &two, &small, &two, &large}) {
    run.expect_right(*object);
  }
}

TEST_F(GpuLargeSizes, caps_around_what_six_planes_hold) {
  Image object = small_foam({200, 190, 250, 3});
  add_octahedron(object, 90, 80, 110, 70);
  for (const std::int64_t max_size : {30, 61, 62, 63, 64, 66, 69, 70, 71, 72, 100, 200, 300}) {
    CheckedRun own(object.shape());
    own.expect_right(object, max_size);
    CheckedRun after_another(object.shape());
    after_another.expect_right(object);
    after_another.expect_right(object, max_size);
  }
}

TEST_F(GpuLargeSizes, random_octahedra_and_holes) {
  std::mt19937 random(7);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int round = 0; round < (small_scale() ? 1 : 16); ++round) {
    SCOPED_TRACE(round);
    Image object(Type::Bool, {130 + below(200), 130 + below(200), 130 + below(300), 3});
    const Shape& s = object.shape();
    for (std::int64_t i = 2 + below(12); i > 0; --i) {
      add_octahedron(object, below(s.z), below(s.y), below(s.x), 30 + below(60));
    }
    for (std::int64_t i = below(30); i > 0; --i) {
      const std::int64_t x = below(s.x);
      object.row<std::uint64_t>(below(s.z), below(s.y))[x / 64] &= ~(std::uint64_t{1} << (x % 64));
    }
    CheckedRun run(s);
    run.expect_right(object);
    run.expect_right(object, 50 + below(60));
  }
}

/// By the library's call.
TEST_F(GpuLargeSizes, a_rare_size_in_a_large_volume) {
  if (small_scale()) GTEST_SKIP() << "a large volume";
  Image object = small_foam({720, 680, 700, 3});
  add_octahedron(object, 300, 400, 500, 65);
  CheckedRun run(object.shape());
  run.expect_right(object);
  for (const std::optional<std::int64_t> max_size : {std::optional<std::int64_t>{}, std::optional<std::int64_t>{64}}) {
    const Sizes wanted = granulometry(cpu(), object, up_to(max_size));
    const Sizes got = granulometry(on_gpu(), object, up_to(max_size));
    EXPECT_EQ(got.volume, wanted.volume);
    EXPECT_EQ(got.limited, wanted.limited);
  }
  Context little = on_gpu();
  little.device_memory_bytes = std::int64_t{1300} << 20;  // slabs
  EXPECT_EQ(granulometry(little, object).volume, granulometry(cpu(), object).volume);
}

}  // namespace
}  // namespace tamis
