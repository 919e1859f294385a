// Medians of keys of two and four bytes by buckets, on images that are hard to sort or to search.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "median/cpu/bucket/run.hpp"
#include "median/cpu/bucket/tile.hpp"
#include "median/test/selection.hpp"
#include "median/test/testing.hpp"

namespace tamis {
namespace {

using namespace median_detail;
using namespace median_testing;

template <class Number>
void expect_numbers_in_order(std::size_t n, unsigned different) {
  std::mt19937 random(3);
  std::vector<std::uint16_t> values(n);
  for (auto& value : values) value = static_cast<std::uint16_t>(random() % different * (65535 / different) + 7);
  cpu::ValueTable<Number> table;
  table.clear();
  table.count(values.data(), static_cast<std::int64_t>(n));
  table.number();
  std::vector<std::uint16_t> sorted(n);
  for (const std::uint16_t value : values) sorted[table.numbers()[value]++] = value;
  std::sort(values.begin(), values.end());
  EXPECT_TRUE(values == sorted) << n << " of " << different;
}

TEST(MedianBuckets, tables_number_values_in_their_order) {
  for (const unsigned different : {1U, 2U, 1000U, 65535U}) {
    expect_numbers_in_order<std::uint16_t>(65535, different);
    expect_numbers_in_order<std::uint32_t>(65535, different);
    expect_numbers_in_order<std::uint32_t>(200000, different);
  }
}

/// Every instruction set against quick selection.
template <class Sample>
void expect_as_selected(const Image& image, const std::string& window, double percentile) {
  using K = cpu::Key<Sample>;
  const Shape& shape = image.shape();
  const RankStep step =
      plan_median(image.type(), shape, {.window = StructuringElement(window), .percentile = percentile}).steps.at(0);
  const cpu::Band band{0, shape.z, 0, shape.y};
  cpu::KeySlab<K> slab;
  slab.template fill<Sample>(image, step, band);
  std::vector<K> wanted(static_cast<std::size_t>(shape.count())), out(wanted.size());
  cpu::BandTask<K> work;
  work.in = &slab;
  work.step = &step;
  work.band = band;
  work.nx = work.x1 = work.row_stride = shape.x;
  work.slice_stride = shape.x * shape.y;
  work.out = wanted.data();
  select_band(work);
  work.out = out.data();
  for (const Context& context : morphology_testing::instruction_sets()) {
    work.simd = context.simd;
    cpu::BucketBands<K>().run(work);
    EXPECT_TRUE(wanted == out) << window << " percentile " << percentile << " " << context.describe();
  }
}

using Draw = std::function<double(std::mt19937&, std::int64_t y, std::int64_t x)>;

template <class Sample>
void expect_as_selected(Type type, const Draw& draw) {
  std::mt19937 random(11);
  Image image(type, {1, 60, 230, 2});
  for (std::int64_t y = 0; y < 60; ++y) {
    for (std::int64_t x = 0; x < 230; ++x) image.row<Sample>(0, y)[x] = static_cast<Sample>(draw(random, y, x));
  }
  expect_as_selected<Sample>(image, "rect:21x19", 50);
  expect_as_selected<Sample>(image, "rect:31x4", 93);
}

double uniform(std::mt19937& random) { return static_cast<double>(random()) / 4294967296.0; }

TEST(MedianBuckets, integers_of_all_kinds_are_found) {
  const std::vector<Draw> draws = {
      [](auto&, auto, auto) { return 1234; },
      [](auto& random, auto, auto) { return random() % 2 == 0 ? 0 : 65535; },
      [](auto& random, auto, auto) { return random() % 50 == 0 ? random() % 65536 : 77; },
      [](auto&, auto y, auto x) { return static_cast<double>(y * 230 + x); },
      [](auto&, auto y, auto x) { return static_cast<double>(65535 - (x * 284 + y) % 65536); },
      [](auto& random, auto, auto x) { return static_cast<double>(random() % 40 + (x > 100 ? 60000U : 0U)); },
  };
  for (const Draw& draw : draws) expect_as_selected<std::uint16_t>(Type::U16, draw);
}

TEST(MedianBuckets, floats_of_all_kinds_are_found) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Draw> draws = {
      [](auto&, auto, auto) { return -3; },
      [](auto& random, auto, auto) { return random() % 2 == 0 ? -0.0 : 0.0; },
      [](auto& random, auto, auto) { return uniform(random); },
      [](auto& random, auto, auto) { return std::exp(200 * uniform(random) - 120); },
      [](auto& random, auto, auto) { return random() % 3 == 0   ? -infinity
                                            : random() % 2 == 0 ? infinity
                                                                : 1.0; },
      [](auto& random, auto, auto) { return 1 + 1e-5 * uniform(random) + (random() % 2000 == 0 ? 1e30 : 0); },
      [](auto& random, auto, auto) { return 1e-44 * static_cast<double>(random() % 20); },
      [](auto&, auto y, auto x) { return static_cast<double>(y) - 0.01 * static_cast<double>(x); },
  };
  for (const Draw& draw : draws) expect_as_selected<float>(Type::F32, draw);
}

/// What all cells of a range but one share is little, so that keys there have the same value.
TEST(MedianBuckets, floats_far_closer_than_others_are_found) {
  const Draw draw = [](auto& random, auto, auto) {
    const auto pick = random() % 2000;
    return pick == 0 ? -1e38 : pick == 1 ? 1e38 : 1 + uniform(random) * (random() % 2 == 0 ? 1e-3 : 1e-6);
  };
  expect_as_selected<float>(Type::F32, draw);
}

TEST(MedianBuckets, windows_of_more_keys_than_words_number_are_found) {
  const Image image = random_image(Type::U16, {1, 6, 40, 2}, 5);
  expect_as_selected<std::uint16_t>(image, "rect:290x280", 50);
  expect_as_selected<float>(random_image(Type::F32, {1, 6, 40, 2}, 5), "rect:290x280", 50);
}

}  // namespace
}  // namespace tamis
