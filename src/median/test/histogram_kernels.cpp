// Sliding histograms alone, on keys between which ranks jump, against counting.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/memory.hpp"
#include "median/cpu/histogram/run.hpp"
#include "median/test/testing.hpp"

namespace tamis {
namespace {

using namespace median_detail;

struct Window {
  std::int64_t width, height, depth;
};

/// Keys of slices, rows and columns.
struct Keys {
  std::int64_t nz, ny, nx;
  std::vector<std::uint8_t> all;
};

template <class KeyAt>
Keys keys_of(std::int64_t nz, std::int64_t ny, std::int64_t nx, const KeyAt& key_at) {
  Keys keys{nz, ny, nx, {}};
  for (std::int64_t z = 0; z < nz; ++z) {
    for (std::int64_t y = 0; y < ny; ++y) {
      for (std::int64_t x = 0; x < nx; ++x) keys.all.push_back(static_cast<std::uint8_t>(key_at(z, y, x)));
    }
  }
  return keys;
}

constexpr std::int64_t columns = 90, rows = 7;

/// Keys that a window sees from so many columns and rows, of every kind.
std::vector<Keys> keys_for(const Window& window) {
  const std::int64_t nz = window.depth, ny = rows + window.height - 1, nx = columns + window.width - 1;
  std::mt19937 random(5);
  const auto any_of = [&](std::vector<int> values) {
    return keys_of(nz, ny, nx, [&](auto, auto, auto) { return values[random() % values.size()]; });
  };
  return {keys_of(nz, ny, nx, [&](auto, auto, auto) { return random() % 256; }),
          any_of({0}),
          any_of({255}),
          any_of({0, 255}),
          any_of({0, 31, 32}),
          any_of({7, 8, 120, 223, 224}),
          keys_of(nz, ny, nx, [](auto, auto, auto x) { return 5 * x; }),
          keys_of(nz, ny, nx, [](auto, auto y, auto x) { return 255 - x - y; }),
          keys_of(nz, ny, nx, [](auto, auto, auto x) { return x / 40 % 2 * 200; })};
}

std::vector<std::uint8_t> counted(const Keys& keys, const Window& window, const std::vector<std::int32_t>& ranks) {
  std::vector<std::uint8_t> results;
  for (std::int64_t y = 0; y < rows; ++y) {
    for (std::int64_t x = 0; x < columns; ++x) {
      std::vector<std::int32_t> counts(256);
      for (std::int64_t z = 0; z < window.depth; ++z) {
        for (std::int64_t i = 0; i < window.height; ++i) {
          const auto row = static_cast<std::size_t>((z * keys.ny + y + i) * keys.nx + x);
          for (std::int64_t j = 0; j < window.width; ++j) ++counts[keys.all[row + static_cast<std::size_t>(j)]];
        }
      }
      std::int32_t left = std::max(ranks[static_cast<std::size_t>(y * columns + x)], 0);
      std::size_t key = 0;
      for (; left >= counts[key]; ++key) left -= counts[key];
      results.push_back(static_cast<std::uint8_t>(key));
    }
  }
  return results;
}

void expect_as_counted(const Window& window, const std::vector<std::int32_t>& ranks, bool vary) {
  int kind = 0;
  for (const Keys& keys : keys_for(window)) {
    const std::vector<std::uint8_t> wanted = counted(keys, window, ranks);
    std::vector<std::uint8_t> found(wanted.size(), std::uint8_t{1});
    cpu::HistogramTask task;
    task.keys = keys.all.data();
    task.row_stride = keys.nx;
    task.slice_stride = keys.nx * keys.ny;
    task.width = window.width;
    task.height = window.height;
    task.depth = window.depth;
    task.columns = columns;
    task.rows = rows;
    task.rank = ranks[0];
    if (vary) task.ranks = ranks.data();
    task.rank_stride = columns;
    task.out = found.data();
    task.out_stride = columns;
    Buffer<std::byte> scratch(cpu::histogram_scratch_bytes(task));
    for (const Context& context : morphology_testing::instruction_sets()) {
      cpu::run_histograms(context.simd, task, scratch.data());
      EXPECT_EQ(found, wanted) << window.width << "x" << window.height << "x" << window.depth << " keys of kind "
                               << kind << " " << context.describe();
    }
    ++kind;
  }
}

/// Small ones and large ones, and those at which other counts or other kernels begin.
const std::vector<Window> windows = {{1, 1, 1},   {2, 3, 1},   {31, 31, 1}, {47, 5, 1},   {48, 5, 1},  {127, 3, 1},
                                     {128, 3, 1}, {5, 127, 1}, {5, 128, 1}, {50, 255, 1}, {3, 256, 1}, {5, 9, 15}};

TEST(MedianHistograms, one_rank_is_found_wherever_it_jumps) {
  for (const Window& window : windows) {
    const auto count = static_cast<std::int32_t>(window.width * window.height * window.depth);
    for (const std::int32_t rank : {0, count / 2, count - 1}) {
      expect_as_counted(window, std::vector<std::int32_t>(static_cast<std::size_t>(rows * columns), rank), false);
    }
  }
}

TEST(MedianHistograms, ranks_may_differ_from_result_to_result) {
  std::mt19937 random(6);
  for (const Window& window : windows) {
    const auto count = static_cast<std::int32_t>(window.width * window.height * window.depth);
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(rows * columns));
    for (std::int32_t& rank : ranks) rank = static_cast<std::int32_t>(random() % static_cast<unsigned>(count + 1)) - 1;
    expect_as_counted(window, ranks, true);
  }
}

}  // namespace
}  // namespace tamis
