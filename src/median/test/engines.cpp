// Each engine of the CPU alone against quick selection, on windows that the choice would give to others too.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "median/cpu/bisect/run.hpp"
#include "median/cpu/bucket/run.hpp"
#include "median/cpu/histogram/run.hpp"
#include "median/cpu/rank_map.hpp"
#include "median/cpu/rank_set/run.hpp"
#include "median/test/selection.hpp"
#include "median/test/testing.hpp"

namespace tamis {
namespace {

using namespace median_detail;
using namespace median_detail::cpu;
using namespace median_testing;

template <class K>
using Engine = void (*)(const BandTask<K>&);

/// What an engine makes of columns x0 ... x1-1 of a band.
template <class K>
std::vector<K> results_of(Engine<K> engine, BandTask<K> work) {
  const Band& band = work.band;
  std::vector<K> out(static_cast<std::size_t>((band.z1 - band.z0) * (band.y1 - band.y0) * work.nx));
  work.out = out.data();
  work.row_stride = work.nx;
  work.slice_stride = work.nx * (band.y1 - band.y0);
  engine(work);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto x = static_cast<std::int64_t>(i) % work.nx;
    if (x < work.x0 || x >= work.x1 || (work.ranks && work.ranks[i] < 0)) out[i] = 0;
  }
  return out;
}

struct Subject {
  Type type = Type::U8;
  Shape shape;
  StructuringElement window;
  double percentile = 50;
  Border border;
  double nan_share = 0;
};

/// On every instruction set.
template <class Sample>
void expect_as_selected(Engine<Key<Sample>> engine, const Subject& subject) {
  using K = Key<Sample>;
  const Image image = random_image(subject.type, subject.shape, 7, subject.nan_share);
  const MedianPlan plan = plan_median(subject.type, subject.shape,
                                      {subject.window, subject.percentile, 1, subject.border, NanPolicy::Ignore});
  if (plan.steps.empty()) return;  // along axes of one sample only, where the image is the result
  const RankStep& step = plan.steps.front();
  const Shape& shape = subject.shape;
  for (const bool whole : {true, false}) {
    const Band band = whole ? Band{0, shape.z, 0, shape.y} : Band{shape.z / 2, shape.z, shape.y / 3, shape.y};
    KeySlab<K> slab;
    slab.template fill<Sample>(image, step, band);
    BandTask<K> work;
    work.in = &slab;
    work.step = &step;
    work.band = band;
    work.nx = shape.x;
    work.x0 = whole ? 0 : shape.x / 4;
    work.x1 = whole ? shape.x : shape.x - shape.x / 5;
    std::vector<std::int32_t> ranks;
    if constexpr (std::is_same_v<Sample, float>) {
      if (subject.nan_share > 0) ranks = counts_present(slab, step, band, shape);
    }
    if (ranks.empty() && step.shrinks()) ranks = counts_inside(step, band, shape);
    make_ranks(step, shape.x, ranks);
    if (!ranks.empty()) work.ranks = ranks.data();
    work.rank_stride = shape.x;
    const std::vector<K> wanted = results_of<K>(select_band<K>, work);
    for (const Context& context : morphology_testing::instruction_sets()) {
      work.simd = context.simd;
      EXPECT_TRUE(wanted == results_of<K>(engine, work))
          << name(subject.type) << " " << to_string(shape) << " " << subject.window.spec() << " percentile "
          << subject.percentile << " border " << to_string(subject.border) << " " << context.describe();
    }
  }
}

/// Engines of the three kinds of keys.
struct Engines {
  Engine<std::uint8_t> u8;
  Engine<std::uint16_t> u16;
  Engine<std::uint32_t> u32;
};

void expect_as_selected(const Engines& engines, Subject subject) {
  subject.type = Type::U8;
  expect_as_selected<std::uint8_t>(engines.u8, subject);
  subject.type = Type::I16;
  expect_as_selected<std::int16_t>(engines.u16, subject);
  subject.type = Type::F32;
  expect_as_selected<float>(engines.u32, subject);
  subject.nan_share = 0.3;
  expect_as_selected<float>(engines.u32, subject);
}

const std::vector<double> percentiles = {0, 30, 100};

const std::vector<std::string> boxes = {"square:3",  "square:15",           "rect:1x7", "rect:9x1", "rect:40x6",
                                        "square:64", "shift(square:5,9,-7)"};
const std::vector<std::string> masks = {"disk:3", "cross:2", "circle:5", "line:17@30", "disk:6", "shift(disk:2,9,-7)"};
const std::vector<std::string> solids = {"cube:3", "box:7x5x2", "ball:2", "box:1x1x5"};

void expect_all(const Engines& engines, const std::vector<std::string>& windows) {
  Sampled some(7);
  for (const std::string& window : windows) {
    for (const Shape& shape : {Shape{1, 19, 101, 2}, Shape{1, 1, 70, 2}, Shape{1, 40, 1, 2}}) {
      for (const double percentile : percentiles) {
        if (some.skips()) continue;
        expect_as_selected(engines, {Type::U8, shape, window, percentile, Border::reflect()});
      }
      if (!some.skips()) expect_as_selected(engines, {Type::U8, shape, window, 50, Border::shrink()});
    }
  }
}
void expect_solids(const Engines& engines, const std::vector<std::string>& windows) {
  for (const std::string& window : windows) {
    for (const Border& border : {Border::nearest(), Border::shrink()}) {
      expect_as_selected(engines, {Type::U8, {6, 9, 21, 3}, window, 50, border});
    }
  }
}

const Engines bisection = {bisect_band<std::uint8_t>, bisect_band<std::uint16_t>, bisect_band<std::uint32_t>};
template <class K>
void buckets_of(const BandTask<K>& work) {
  BucketBands<K>().run(work);
}
const Engines histograms = {histogram_band, buckets_of<std::uint16_t>, buckets_of<std::uint32_t>};
template <class K>
void rank_sets_of(const BandTask<K>& work) {
  rank_set_band(work, slides_of(*work.step));
}
const Engines rank_sets = {rank_sets_of<std::uint8_t>, rank_sets_of<std::uint16_t>, rank_sets_of<std::uint32_t>};

TEST(MedianEngines, bisection_finds_any_rank_of_any_window) {
  expect_all(bisection, boxes);
  expect_all(bisection, masks);
  expect_solids(bisection, solids);
}

TEST(MedianEngines, histograms_find_any_rank_of_any_box) {
  expect_all(histograms, boxes);
  expect_solids(histograms, {"cube:3", "box:7x5x2", "box:1x1x5"});
}

TEST(MedianEngines, histograms_count_beyond_bytes_and_words) {
  for (const char* const window : {"rect:3x301", "rect:300x260"}) {
    expect_as_selected(histograms, {Type::U8, {1, 5, 20, 2}, window, 40, Border::reflect()});
  }
}

/// Images of several tiles and stripes along each axis.
void expect_no_seams(const Engines& engines) {
  expect_as_selected(engines, {Type::U8, {1, 260, 620, 2}, "rect:3x5", 50, Border::reflect()});
  expect_as_selected(engines, {Type::U8, {1, 3, 1100, 2}, "rect:5x1", 50, Border::shrink()});
  expect_as_selected(engines, {Type::U8, {1, 1100, 20, 2}, "rect:1x5", 50, Border::shrink()});
  expect_as_selected(engines, {Type::U8, {45, 41, 47, 3}, "cube:3", 50, Border::reflect()});
}

TEST(MedianEngines, sets_of_ranks_may_be_larger_than_words_number) {
  expect_as_selected(rank_sets, {Type::U8, {1, 3, 20, 2}, "rect:300x260", 40, Border::reflect()});
}

TEST(MedianEngines, tiles_join_without_seams) {
  expect_no_seams(histograms);
  expect_no_seams(rank_sets);
}

TEST(MedianEngines, sets_of_ranks_find_any_rank_of_any_window) {
  expect_all(rank_sets, boxes);
  expect_all(rank_sets, masks);
  expect_solids(rank_sets, solids);
}

}  // namespace
}  // namespace tamis
