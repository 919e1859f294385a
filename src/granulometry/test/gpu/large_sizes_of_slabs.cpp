// Sizes around those that six planes of a slab hold, against the CPU's map of the whole volume.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <tamis/granulometry.hpp>

#include "core/gpu/stream.hpp"
#include "core/test/gpu_test.hpp"
#include "granulometry/gpu/window_run.hpp"
#include "granulometry/plan.hpp"
#include "granulometry/test/gpu/large_objects.hpp"
#include "granulometry/test/testing.hpp"

namespace tamis {
namespace {

using namespace granulometry_detail;
using namespace granulometry_detail::gpu;
using namespace large_objects;

class GpuLargeSizesOfSlabs : public GpuTest {};

using Curve = std::vector<std::int64_t>;

/// Of each slice.
std::vector<Curve> curves_of(const Image& map) {
  const Shape& s = map.shape();
  std::vector<Curve> curves(static_cast<std::size_t>(s.z), Curve(256));
  for (std::int64_t z = 0; z < s.z; ++z)
    for (std::int64_t y = 0; y < s.y; ++y) {
      const auto* const row = map.row<std::uint8_t>(z, y);
      for (std::int64_t x = 0; x < s.x; ++x) ++curves[static_cast<std::size_t>(z)][row[x]];
    }
  return curves;
}

/// Slabs of one volume, each as gpu/host.cpp runs it. Slabs of as many slices share a run.
class CheckedSlabs {
 public:
  explicit CheckedSlabs(const Image& object)
      : scope_(0),
        stream_(0),
        shape_(object.shape()),
        curves_(curves_of(size_map(cpu(), object))),
        bits_(stream_, object.bytes() / 8) {
    for (const Curve& curve : curves_) {
      for (std::size_t size = 0; size < curve.size(); ++size) {
        if (curve[size] > 0) largest_ = std::max(largest_, static_cast<std::int64_t>(size));
      }
    }
    cuda::check(cudaMemcpyAsync(bits_.data(), object.data(), bits_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
                "copy bits");
    stream_.synchronize();
  }

  /// Whether the halo suffices.
  bool expect_right(std::int64_t begin, std::int64_t end, std::int64_t halo, std::int64_t largest_wanted = 0) {
    const Slab slab{std::max<std::int64_t>(begin - halo, 0), begin, end, std::min(end + halo, shape_.z)};
    SCOPED_TRACE(to_string(shape_) + ", slices " + std::to_string(begin) + " to " + std::to_string(end) + ", halo " +
                 std::to_string(halo) + ", up to " + std::to_string(largest_wanted));
    WindowRun& run = run_of(slab.to - slab.from);
    const WindowQuery query = query_of(slab, largest_wanted);
    const std::int64_t words = (shape_.x + 63) / 64;
    run.measure({bits_.data() + slab.from * shape_.y * words, words, slab.to - slab.from}, nullptr, query);
    stream_.synchronize();
    const bool suffices = halo_suffices(slab, shape_.z, run.largest());
    run.open(query);
    stream_.synchronize();
    Curve got = run.counts();  // which compares totals, also where the halo does not suffice
    got[0] = 0;
    got.resize(256);
    if (suffices) {
      EXPECT_EQ(got, wanted(begin, end, query.cap));
    } else {
      EXPECT_FALSE(halo_suffices(slab, shape_.z, largest_)) << "it suffices";
    }
    return suffices;
  }

 private:
  WindowRun& run_of(std::int64_t slices) {
    if (!run_ || slices != slices_) {
      run_.reset();
      WindowTask task;
      task.windows = Windows(slices, shape_.y, shape_.x);
      run_ = std::make_unique<WindowRun>(stream_, task);
      slices_ = slices;
    }
    return *run_;
  }

  [[nodiscard]] WindowQuery query_of(const Slab& slab, std::int64_t largest_wanted) const {
    WindowQuery query;
    query.open_below = slab.from > 0;
    query.open_above = slab.to < shape_.z;
    query.cap = largest_wanted;
    for (const std::int64_t halo :
         {query.open_below ? slab.begin - slab.from : 0, query.open_above ? slab.to - slab.end : 0}) {
      if (halo > 0) query.cap = query.cap > 0 ? std::min(query.cap, halo / 2 + 1) : halo / 2 + 1;
    }
    query.begin = slab.begin - slab.from;
    query.end = slab.end - slab.from;
    query.inner_begin = slab.inner_from() - slab.from;
    query.inner_end = slab.inner_to() - slab.from;
    return query;
  }

  [[nodiscard]] Curve wanted(std::int64_t begin, std::int64_t end, std::int64_t cap) const {
    Curve sum(256);
    for (std::int64_t z = begin; z < end; ++z) {
      for (std::size_t size = 1; size < 256; ++size) {
        const std::size_t counts_as = cap > 0 ? std::min(size, static_cast<std::size_t>(cap)) : size;
        sum[counts_as] += curves_[static_cast<std::size_t>(z)][size];
      }
    }
    return sum;
  }

  cuda::DeviceScope scope_;
  cuda::Stream stream_;
  Shape shape_;
  std::vector<Curve> curves_;
  std::int64_t largest_ = 0;
  cuda::DeviceBuffer<std::uint64_t> bits_;
  std::int64_t slices_ = 0;
  std::unique_ptr<WindowRun> run_;
};

TEST_F(GpuLargeSizesOfSlabs, an_octahedron_anywhere_near_the_ends_of_a_slab) {
  for (std::int64_t size = 60; size <= 70; ++size) {
    if (small_scale() && size != 64) continue;
    SCOPED_TRACE(size);
    Image object = small_foam({460, 144, 150, 3});
    add_octahedron(object, 230, 71, 75, size - 1);
    CheckedSlabs slabs(object);
    for (const std::int64_t thickness : {1, 30, 140}) {
      for (const std::int64_t halo : {126, 128, 142}) {
        const std::int64_t step = small_scale() ? 90 : 11;
        for (std::int64_t begin = 10; begin + thickness <= 450; begin += step) {
          EXPECT_TRUE(slabs.expect_right(begin, begin + thickness, halo) || size > halo / 2);
        }
      }
    }
    EXPECT_TRUE(slabs.expect_right(100, 350, 142));
  }
}

/// Its ends and its middle at each end of a slab, and of the inner half of the halo.
TEST_F(GpuLargeSizesOfSlabs, an_octahedron_at_every_slice_beside_an_end) {
  if (small_scale()) GTEST_SKIP() << "many slabs";
  for (const std::int64_t size : {63, 64, 66}) {
    SCOPED_TRACE(size);
    Image object(Type::Bool, {420, 136, 140, 3});
    add_octahedron(object, 210, 67, 70, size - 1);
    CheckedSlabs slabs(object);
    for (std::int64_t begin = 130; begin < 290; ++begin) {
      EXPECT_TRUE(slabs.expect_right(begin, begin + 1, 128) || size > 64);
    }
    for (std::int64_t begin = 60; begin < 300; begin += 1) slabs.expect_right(begin, begin + 60, 132);
  }
}

TEST_F(GpuLargeSizesOfSlabs, sizes_that_take_more_planes_than_seven) {
  if (small_scale()) GTEST_SKIP() << "a large volume";
  for (const std::int64_t size : {126, 127, 128, 130}) {
    SCOPED_TRACE(size);
    Image object = small_foam({620, 270, 280, 3});
    add_octahedron(object, 300, 134, 140, size - 1);
    CheckedSlabs slabs(object);
    for (const std::int64_t thickness : {1, 80}) {
      for (std::int64_t begin = 20; begin + thickness < 600; begin += 37) {
        EXPECT_TRUE(slabs.expect_right(begin, begin + thickness, 260));
        slabs.expect_right(begin, begin + thickness, 128);
      }
    }
  }
}

TEST_F(GpuLargeSizesOfSlabs, caps_around_what_six_planes_hold) {
  Image object = small_foam({400, 144, 150, 3});
  add_octahedron(object, 200, 71, 75, 68);
  CheckedSlabs slabs(object);
  for (const std::int64_t cap : {30, 62, 63, 64, 65, 66, 68, 69, 70, 90}) {
    for (const std::int64_t begin : {140, 200, 255}) {
      EXPECT_TRUE(slabs.expect_right(begin, begin + 40, 140, cap));
      EXPECT_TRUE(slabs.expect_right(begin, 400, 140, cap));
      slabs.expect_right(begin, begin + 40, 128, cap);
    }
  }
}

TEST_F(GpuLargeSizesOfSlabs, random_octahedra_holes_and_slabs) {
  std::mt19937 random(5);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int round = 0; round < (small_scale() ? 1 : 16); ++round) {
    SCOPED_TRACE(round);
    Image object(Type::Bool, {300 + below(300), 130 + below(150), 130 + below(250), 3});
    const Shape& s = object.shape();
    for (std::int64_t i = 2 + below(12); i > 0; --i) {
      add_octahedron(object, below(s.z), below(s.y), below(s.x), 40 + below(50));
    }
    for (std::int64_t i = below(30); i > 0; --i) {
      const std::int64_t x = below(s.x);
      object.row<std::uint64_t>(below(s.z), below(s.y))[x / 64] &= ~(std::uint64_t{1} << (x % 64));
    }
    CheckedSlabs slabs(object);
    for (int i = 0; i < 12; ++i) {
      const std::int64_t begin = below(s.z);
      const std::int64_t end = begin + 1 + below(s.z - begin);
      const std::int64_t halo = 120 + below(80);
      slabs.expect_right(begin, end, halo);
      slabs.expect_right(begin, end, halo, 55 + below(50));
    }
  }
}

/// By the library's call.
TEST_F(GpuLargeSizesOfSlabs, rare_sizes_near_the_ends_of_slabs_of_several_gpus) {
  if (small_scale()) GTEST_SKIP() << "a large volume";
  Image object(Type::Bool, {720, 680, 700, 3});
  for (std::int64_t i = 0; i < 4; ++i) {
    add_octahedron(object, 70 + 190 * i, 100 + 150 * i, 600 - 140 * i, 60 + i);
    add_octahedron(object, 30 + 160 * i, 600 - 130 * i, 60 + 20 * i, 10 + i);
  }
  const Sizes wanted = granulometry(cpu(), object);
  for (const std::size_t more : {1U, 2U, 3U}) {
    for (const std::int64_t mebibytes : {0, 900, 1300}) {
      SCOPED_TRACE(std::to_string(more + 1) + " GPUs, " + std::to_string(mebibytes) + " MiB");
      Context context = on_gpu();
      context.more_gpus = more_gpus(more);
      context.device_memory_bytes = mebibytes << 20;
      EXPECT_EQ(granulometry(context, object).volume, wanted.volume);
    }
  }
}

}  // namespace
}  // namespace tamis
