#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "core/cpu/simd.hpp"
#include "median/cpu/keys.hpp"
#include "median/cpu/network/run.hpp"
#include "median/test/selection.hpp"
#include "median/test/testing.hpp"

namespace tamis {
namespace {

using namespace median_testing;
using namespace median_detail;
using namespace median_detail::cpu;

template <class Sample>
constexpr Type type_of = Type::U8;
template <>
constexpr Type type_of<std::uint16_t> = Type::U16;
template <>
constexpr Type type_of<std::int16_t> = Type::I16;
template <>
constexpr Type type_of<float> = Type::F32;

RankStep step_of(const StructuringElement& window, double percentile, int rank = 2) {
  RankStep step;
  step.window = window.sum(rank);
  step.percentile = percentile;
  step.count = step.window.count();
  step.rank = rank_of(percentile, step.count);
  return step;
}

template <class Sample>
Image filled(const Shape& shape, const std::string& pattern) {
  constexpr std::int32_t lowest = std::is_signed_v<Sample> ? -32768 : 0;
  Image image(type_of<Sample>, shape);
  std::mt19937 random(1);
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        const auto place = static_cast<std::int32_t>(z * 7 + y * 5 + x);
        auto value = lowest + static_cast<std::int32_t>(random() % 65536);
        if (pattern == "constant") value = 77;
        if (pattern == "two values") value = value % 2 == 0 ? 0 : 255;
        if (pattern == "ramp") value = place;
        if (pattern == "falling") value = 255 - place % 256;
        image.row<Sample>(z, y)[x] = static_cast<Sample>(value);
      }
  return image;
}

/// By the network and by quick selection, which median_test compares with the definition.
template <class Sample>
void expect_selection(const Image& image, const RankStep& step, const std::vector<Simd>& sets,
                      const NetworkProgram& network) {
  using K = Key<Sample>;
  const Shape& shape = image.shape();
  const Band band{0, shape.z, 0, shape.y};
  KeySlab<K> slab;
  RankStep mirrored = step;
  mirrored.border = Border::reflect();
  slab.template fill<Sample>(image, mirrored, band);
  std::vector<K> wanted(static_cast<std::size_t>(shape.z * shape.y * shape.x)), got(wanted.size());
  BandTask<K> work;
  work.in = &slab;
  work.step = &step;
  work.band = band;
  work.nx = work.x1 = shape.x;
  work.row_stride = shape.x;
  work.slice_stride = shape.x * shape.y;
  work.out = wanted.data();
  select_band(work);
  work.out = got.data();
  for (const Simd simd : sets) {
    work.simd = simd;
    std::fill(got.begin(), got.end(), K{0});
    NetworkBands<K>(network).run(work);
    const auto differs = std::mismatch(wanted.begin(), wanted.end(), got.begin()).first - wanted.begin();
    EXPECT_EQ(static_cast<std::size_t>(differs), wanted.size())
        << network.window.width << "x" << network.window.height << "x" << network.window.depth << " rank "
        << network.window.rank << " tile " << network.tile_x << "x" << network.tile_y << " " << name(image.type())
        << " " << to_string(shape) << " " << simd_name(simd);
  }
}

template <class Sample>
void expect_selection(const Image& image, const RankStep& step, const std::vector<Simd>& sets) {
  ASSERT_TRUE(network_can(step));
  expect_selection<Sample>(image, step, sets, network_for(step, network_row(image.shape().x, sizeof(Sample))));
}

/// All that this machine has.
const std::vector<Simd>& all_sets() {
  static const std::vector<Simd> sets = [] {
    std::vector<Simd> list;
    for (const Context& context : morphology_testing::instruction_sets()) list.push_back(context.simd);
    return list;
  }();
  return sets;
}
const std::vector<Simd> best_set = {Simd::Best};

TEST(MedianNetwork, every_rectangle_is_as_selected) {
  const std::int64_t stride = small_scale() ? 7 : 1;
  const Shape shape{1, 4, 41, 2};
  const Image bytes = filled<std::uint8_t>(shape, "random");
  const Image words = filled<std::uint16_t>(shape, "random");
  const Image numbers = filled<float>(shape, "random");
  for (std::int64_t width = 1; width <= 33; ++width) {
    for (std::int64_t height = 1 + width % stride; height <= 33; height += stride) {
      if (width * height == 1) continue;
      const RankStep step = step_of(StructuringElement::rect(width, height), 50);
      ASSERT_TRUE(network_can(step));
      const NetworkProgram network = network_for(step);
      expect_selection<std::uint8_t>(bytes, step, all_sets(), network);
      expect_selection<std::uint16_t>(words, step, all_sets(), network);
      expect_selection<float>(numbers, step, all_sets(), network);
    }
  }
}

TEST(MedianNetwork, every_type_and_instruction_set_gives_the_same) {
  for (const char* const pattern : {"random", "constant", "two values", "ramp", "falling"}) {
    for (const std::int64_t width : {1, 2, 3, 63, 64, 65, 200}) {
      const Shape shape{1, 9, width, 2};
      for (const StructuringElement& window :
           {StructuringElement::square(3), StructuringElement::square(5), StructuringElement::square(7),
            StructuringElement::rect(4, 6), StructuringElement::square(15), StructuringElement::square(32)}) {
        const RankStep step = step_of(window, 50);
        expect_selection<std::uint8_t>(filled<std::uint8_t>(shape, pattern), step, all_sets());
        expect_selection<std::uint16_t>(filled<std::uint16_t>(shape, pattern), step, all_sets());
        expect_selection<std::int16_t>(filled<std::int16_t>(shape, pattern), step, all_sets());
        expect_selection<float>(filled<float>(shape, pattern), step, all_sets());
      }
    }
  }
}

TEST(MedianNetwork, every_rank_is_selected) {
  const Image image = filled<std::uint16_t>({1, 6, 40, 2}, "random");
  for (const StructuringElement& window :
       {StructuringElement::square(3), StructuringElement::square(5), StructuringElement::rect(6, 7),
        StructuringElement::square(8), StructuringElement::rect(12, 11)}) {
    RankStep step = step_of(window, 50);
    for (step.rank = 0; step.rank < step.count; ++step.rank) {
      expect_selection<std::uint16_t>(image, step, best_set);
    }
  }
}

TEST(MedianNetwork, every_tile_gives_the_same) {
  const Image image = filled<std::uint8_t>({1, 11, 150, 2}, "random");
  for (const StructuringElement& window :
       {StructuringElement::square(3), StructuringElement::square(8), StructuringElement::rect(9, 14),
        StructuringElement::square(15), StructuringElement::rect(19, 8)}) {
    const RankStep step = step_of(window, 50);
    const NetworkWindow best = network_for(step).window;
    for (int x = 1; x <= std::min<std::int64_t>(8, best.width); x *= 2) {
      for (int y = 1; y <= std::min<std::int64_t>(8, best.height); y *= 2) {
        expect_selection<std::uint8_t>(image, step, best_set, network_program(best, x, y));
      }
    }
  }
}

TEST(MedianNetwork, functions_for_a_size_give_the_same_as_instructions) {
  for (const StructuringElement& window :
       {StructuringElement::square(5), StructuringElement::square(7), StructuringElement::square(9),
        StructuringElement::square(11), StructuringElement::square(13), StructuringElement::square(15),
        StructuringElement::cube(3), StructuringElement::cube(5)}) {
    const RankStep step = step_of(window, 50, 3);
    ASSERT_EQ(network_for(step).kernel, ProgramKernel::Square);
    const NetworkProgram program = network_program(network_for(step).window);
    for (const char* const pattern : {"random", "two values", "ramp"}) {
      expect_selection<std::uint8_t>(filled<std::uint8_t>({2, 7, 300, 3}, pattern), step, all_sets(), program);
      expect_selection<std::uint8_t>(filled<std::uint8_t>({2, 7, 300, 3}, pattern), step, all_sets());
    }
  }
}

TEST(MedianNetwork, tiles_of_narrow_rows_fill_their_vectors) {
  const NetworkWindow window{9, 9, 3, 121};
  const NetworkRow narrow{96, 64}, wide{4096, 64};
  const NetworkProgram for_narrow = network_program(window, narrow), for_wide = network_program(window, wide);
  EXPECT_LT(for_narrow.tile_x, 4);
  EXPECT_LT(for_narrow.cost_per_result(narrow), network_program(window, 8, 2).cost_per_result(narrow));
  EXPECT_LE(for_wide.cost_per_result(wide), for_narrow.cost_per_result(wide));
  EXPECT_LT(for_wide.cost_per_result(wide), for_wide.cost_per_result(narrow));
}

TEST(MedianNetwork, boxes_are_as_selected) {
  const Shape shape{4, 7, 70, 3};
  for (const StructuringElement& window :
       {StructuringElement::cube(3), StructuringElement::cube(5), StructuringElement::cube(7),
        StructuringElement::box(2, 3, 4), StructuringElement::box(1, 1, 5), StructuringElement::box(4, 1, 20),
        StructuringElement::box(1, 8, 2)}) {
    for (const double percentile : {0.0, 30.0, 50.0, 100.0}) {
      const RankStep step = step_of(window, percentile, 3);
      expect_selection<std::uint8_t>(filled<std::uint8_t>(shape, "random"), step, all_sets());
      expect_selection<float>(filled<float>(shape, "random"), step, all_sets());
    }
  }
}

TEST(MedianNetwork, whole_images_of_three_by_three_are_as_defined) {
  for (const Simd simd : all_sets()) {
    Context context;
    context.simd = simd;
    for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
      for (const Shape& shape : {Shape{1, 21, 67, 2}, Shape{1, 2, 130, 2}, Shape{1, 1, 66, 2}, Shape{2, 9, 200, 3}}) {
        const Image image = random_image(type, shape, 9);
        for (const Border& border : {Border::reflect(), Border::nearest(), Border::constant(3), Border::shrink()}) {
          for (const char* const window : {"square:3", "shift(square:3,0,2)", "shift(square:3,1,0)"}) {
            const MedianOptions options{window, 50, 1, border, NanPolicy::Refuse};
            EXPECT_EQ(-1, first_difference(median(context, image, options), reference(image, options)))
                << name(type) << " " << to_string(shape) << " " << to_text(options) << " " << simd_name(simd);
          }
        }
      }
    }
  }
}

TEST(MedianNetwork, windows_away_from_the_sample_are_as_selected) {
  const Image image = filled<std::uint8_t>({1, 9, 80, 2}, "random");
  for (const char* const window : {"shift(square:5,9,0)", "shift(square:5,-9,3)", "shift(rect:4x3,2,-8)"}) {
    expect_selection<std::uint8_t>(image, step_of(StructuringElement(window), 50), best_set);
  }
}

}  // namespace
}  // namespace tamis
