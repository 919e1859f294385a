// Distances by sweeps against distances voxel by voxel, as the device leaves them in memory.
#include "granulometry/gpu/distance/sweeps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tamis/image.hpp>

#include "core/test/gpu_test.hpp"
#include "granulometry/test/testing.hpp"

namespace tamis {
namespace {

using namespace granulometry_detail;
using namespace granulometry_detail::gpu;
using granulometry_testing::random_object;

struct Query {
  bool open_below = false, open_above = false;
  std::int64_t cap = 0;
};

/// Erodes until nothing changes or `most` is reached, and counts.
std::vector<int> naive_distances(const Image& object, const Query& query, int most) {
  const Shape& s = object.shape();
  std::vector<int> distance(static_cast<std::size_t>(s.z * s.y * s.x));
  const auto at = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    return static_cast<std::size_t>((z * s.y + y) * s.x + x);
  };
  const auto for_each = [&](auto visit) {
    for (std::int64_t z = 0; z < s.z; ++z)
      for (std::int64_t y = 0; y < s.y; ++y)
        for (std::int64_t x = 0; x < s.x; ++x) visit(z, y, x);
  };
  for_each([&](auto z, auto y, auto x) { distance[at(z, y, x)] = object.bit(z, y, x); });
  for (int level = 1; level < most; ++level) {
    // A voxel goes on where all its neighbours have come this far; what it becomes is above the level already.
    const auto alive = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      if (z < 0) return query.open_below;
      if (z >= s.z) return query.open_above;
      return y >= 0 && y < s.y && x >= 0 && x < s.x && distance[at(z, y, x)] >= level;
    };
    bool changed = false;
    for_each([&](auto z, auto y, auto x) {
      if (alive(z, y, x) && alive(z - 1, y, x) && alive(z + 1, y, x) && alive(z, y - 1, x) && alive(z, y + 1, x) &&
          alive(z, y, x - 1) && alive(z, y, x + 1)) {
        distance[at(z, y, x)] = level + 1;
        changed = true;
      }
    });
    if (!changed) break;
  }
  if (query.cap > 0) {
    for (int& d : distance) d = std::min(d, static_cast<int>(query.cap));
  }
  return distance;
}

template <class T>
std::vector<T> from_device(const cuda::Stream& stream, const T* data, std::int64_t count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  cuda::check(cudaMemcpyAsync(result.data(), data, result.size() * sizeof(T), cudaMemcpyDeviceToHost, stream.get()),
              "read back");
  stream.synchronize();
  return result;
}

/// One of the two copies that the device made.
struct Copy {
  std::vector<std::uint32_t> words, edges;
};

struct Outcome {
  Copy copies[2];
  std::vector<std::uint16_t> peaks;
  unsigned largest = 0, bound = 0;
};

/// Slices [begin, end) are those whose largest distance is asked for.
Outcome run_on_device(const Image& object, const Query& query, int planes, std::int64_t begin, std::int64_t end) {
  const cuda::DeviceScope scope(0);
  const cuda::Stream stream(0);
  const Shape& s = object.shape();
  const Windows w(s.z, s.y, s.x);
  const std::int64_t words = separable_distance_words(w, planes);
  const std::int64_t edges = w.row_count() * edge_words(planes);
  const cuda::DeviceBuffer<std::uint64_t> bits(stream, object.bytes() / 8);
  cuda::check(
      cudaMemcpyAsync(bits.data(), object.row<std::uint64_t>(0, 0), bits.bytes(), cudaMemcpyHostToDevice, stream.get()),
      "copy the object");
  const cuda::DeviceBuffer<std::uint32_t> work(stream, words);
  const cuda::DeviceBuffer<std::uint32_t> numbers(stream, 2 * (words + edges));
  const cuda::DeviceBuffer<std::uint16_t> peaks(stream, w.peak_count());
  const cuda::DeviceBuffer<unsigned> flags(stream, 2);
  cuda::check(cudaMemsetAsync(work.data(), 0xA5, work.bytes(), stream.get()), "spoil memory");
  numbers.clear();
  peaks.clear();
  flags.clear();

  SeparableDistance task;
  task.windows = w;
  task.object = {bits.data(), object.row_bytes() / 8, s.z};
  task.open_below = query.open_below;
  task.open_above = query.open_above;
  task.cap = query.cap;
  task.peaks_begin = begin;
  task.peaks_end = end;
  task.work = work.data();
  std::uint32_t* next = numbers.data();
  for (PlaneRows& to : task.to) {
    to = {next, next + words};
    next += words + edges;
  }
  task.peaks = peaks.data();
  task.largest = flags.data();
  task.bound = flags.data() + 1;
  separable_distances(stream, planes, task);

  Outcome outcome;
  for (int copy = 0; copy < 2; ++copy) {
    const PlaneRows& to = task.to[copy];
    outcome.copies[copy] = {from_device(stream, to.words, words), from_device(stream, to.edges, edges)};
  }
  outcome.peaks = from_device(stream, peaks.data(), w.peak_count());
  const std::vector<unsigned> found = from_device(stream, flags.data(), 2);
  outcome.largest = found[0];
  outcome.bound = found[1];
  return outcome;
}

/// What the device should leave.
Outcome expected(const Image& object, const Query& query, int planes, std::int64_t begin, std::int64_t end) {
  const Shape& s = object.shape();
  const Windows w(s.z, s.y, s.x);
  const std::vector<int> distance = naive_distances(object, query, (1 << planes) - 1);
  Outcome outcome;
  outcome.peaks.resize(static_cast<std::size_t>(w.peak_count()));
  Copy& copy = outcome.copies[0];
  copy.words.resize(static_cast<std::size_t>(separable_distance_words(w, planes)));
  for (std::int64_t z = 0; z < s.z; ++z)
    for (std::int64_t y = 0; y < s.y; ++y)
      for (std::int64_t x = 0; x < s.x; ++x) {
        const auto d = static_cast<unsigned>(distance[static_cast<std::size_t>((z * s.y + y) * s.x + x)]);
        const int column = static_cast<int>(x / Windows::own_x);
        const std::int64_t bit = x % Windows::own_x + Windows::halo;
        const std::int64_t word = w.row(z, column, y) * 2 * stored_planes(planes) + bit % 2;
        for (int i = 0; i < planes; ++i) copy.words[static_cast<std::size_t>(word + 2 * i)] |= (d >> i & 1U) << bit / 2;
        const std::int64_t group = w.peak(z, column, static_cast<int>(y / Windows::peak_rows));
        std::uint16_t& peak = outcome.peaks[static_cast<std::size_t>(group)];
        peak = std::max(peak, static_cast<std::uint16_t>(d));
        outcome.bound = std::max(outcome.bound, d);
        if (z >= begin && z < end) outcome.largest = std::max(outcome.largest, d);
      }
  const auto edges = static_cast<std::size_t>(edge_words(planes));
  const auto words = 2 * static_cast<std::size_t>(stored_planes(planes));
  copy.edges.resize(static_cast<std::size_t>(w.row_count()) * edges);
  for (std::size_t row = 0; row < static_cast<std::size_t>(w.row_count()); ++row)
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint32_t word = copy.words[row * words + i];
      copy.edges[row * edges + i / 8] |= std::rotl(word & 0x3000000CU, static_cast<int>(4 * (i % 8)));
    }
  outcome.copies[1] = copy;
  return outcome;
}

void expect_right(const Image& object, const Query& query, int planes) {
  const Shape& s = object.shape();
  SCOPED_TRACE(std::to_string(s.z) + "x" + std::to_string(s.y) + "x" + std::to_string(s.x) + ", " +
               std::to_string(planes) + " planes, open " + std::to_string(query.open_below) +
               std::to_string(query.open_above) + ", cap " + std::to_string(query.cap));
  const std::int64_t begin = s.z / 3;
  const std::int64_t end = s.z - s.z / 4;
  const Outcome got = run_on_device(object, query, planes, begin, end);
  const Outcome wanted = expected(object, query, planes, begin, end);
  for (int copy = 0; copy < 2; ++copy) {
    EXPECT_TRUE(got.copies[copy].words == wanted.copies[copy].words) << "the distances differ";
    EXPECT_TRUE(got.copies[copy].edges == wanted.copies[copy].edges) << "the edges differ";
  }
  EXPECT_TRUE(got.peaks == wanted.peaks) << "the peaks differ";
  EXPECT_EQ(got.largest, wanted.largest);
  EXPECT_EQ(got.bound, wanted.bound);
}

/// A box of ones with a few holes.
Image sparse_holes(const Shape& shape, unsigned every) {
  Image image(Type::Bool, shape);
  std::uint32_t state = every;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        state = state * 1664525U + 1013904223U;
        if ((state >> 8) % every != 0) image.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
      }
  return image;
}

class GpuDistance : public GpuTest {};

TEST_F(GpuDistance, sweeps_measure_what_erosions_count_at_any_length_of_any_axis) {
  for (const std::int64_t length : {1, 31, 33, 57, 65, 100, 130, 300}) {
    for (const Shape& shape : {Shape{length, 20, 11}, Shape{9, length, 61}, Shape{11, 20, length}}) {
      for (const int planes : {4, 6, 7, 8}) {
        expect_right(random_object(shape, 0.9, 3), {}, planes);
        expect_right(sparse_holes(shape, 3000), {}, planes);
      }
    }
  }
}

TEST_F(GpuDistance, an_open_side_does_not_erode) {
  for (const auto& [below, above] : {std::pair{true, false}, std::pair{false, true}, std::pair{true, true}}) {
    for (const int planes : {4, 6, 7, 8}) {
      expect_right(sparse_holes({150, 40, 130}, 20000), {below, above, 0}, planes);
      expect_right(sparse_holes({64, 33, 57}, 1U << 23), {below, above, 0}, planes);
      expect_right(sparse_holes({1, 90, 130}, 2000), {below, above, 0}, planes);
    }
  }
}

TEST_F(GpuDistance, distances_above_the_cap_are_the_cap) {
  for (const std::int64_t cap : {1, 2, 7, 15, 60, 300}) {
    for (const int planes : {4, 6, 7, 8}) expect_right(sparse_holes({70, 75, 80}, 1U << 23), {false, false, cap}, planes);
  }
}

TEST_F(GpuDistance, rows_beyond_a_tile_see_across_its_border) {
  for (const int planes : {4, 6, 7, 8}) {
    expect_right(sparse_holes({2, 1100, 70}, 40000), {true, true, 0}, planes);
    expect_right(sparse_holes({1, 2100, 600}, 1U << 23), {true, true, 0}, planes);
    for (const std::int64_t rows : {1024, 1025, 1280, 1409, 1537, 2048, 2049, 3100}) {
      expect_right(sparse_holes({1, rows, 60}, 30000), {true, true, 0}, planes);
    }
  }
}

TEST_F(GpuDistance, planes_suffice_below_their_largest_number_or_at_the_cap) {
  EXPECT_TRUE(planes_suffice(4, 14, 0));
  EXPECT_FALSE(planes_suffice(4, 15, 0));
  EXPECT_TRUE(planes_suffice(4, 15, 15));
  EXPECT_FALSE(planes_suffice(6, 63, 64));
}

}  // namespace
}  // namespace tamis
