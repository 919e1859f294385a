// Laws, on arbitrary images, windows, percentiles and borders.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tamis/median.hpp>
#include <tamis/morphology.hpp>

#include "median/test/testing.hpp"

namespace tamis {
namespace {

using namespace median_testing;

Shape arbitrary_shape() {
  const int rank = *rc::gen::element(2, 3);
  return {rank == 3 ? *rc::gen::inRange<std::int64_t>(1, 7) : 1, *rc::gen::inRange<std::int64_t>(1, 14),
          *rc::gen::inRange<std::int64_t>(1, 80), rank};
}

/// A box of any edges, or any points, symmetric or not, with their origin or without.
StructuringElement arbitrary_window(int rank) {
  if (*rc::gen::arbitrary<bool>()) {
    const auto edge = [] { return *rc::gen::inRange<std::int64_t>(1, 12); };
    return rank == 3 ? StructuringElement::box(edge(), edge(), edge()) : StructuringElement::rect(edge(), edge());
  }
  std::vector<OffsetSet::Run> runs;
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
    const std::int64_t z = rank == 3 ? *rc::gen::inRange(-2, 3) : 0;
    runs.push_back({{z, *rc::gen::inRange(-3, 4), *rc::gen::inRange(-6, 7)}, *rc::gen::inRange(1, 5)});
  }
  return {OffsetSet(runs), rank};
}

struct Subject {
  Image image;
  MedianOptions options;
};

Subject arbitrary_subject() {
  const Shape shape = arbitrary_shape();
  const Type type = *rc::gen::elementOf(filter_types);
  Subject subject{random_image(type, shape, *rc::gen::arbitrary<unsigned>()), {}};
  subject.options.window = arbitrary_window(shape.rank);
  subject.options.percentile = *rc::gen::inRange(0, 101);
  subject.options.border =
      *rc::gen::element(Border::shrink(), Border::reflect(), Border::nearest(), Border::mirror(), Border::wrap());
  subject.options.iterations = *rc::gen::inRange(1, 4);
  return subject;
}

std::vector<double> values_of(const Image& image) { return grid_of(image).values; }

bool same(const Image& a, const Image& b) { return first_difference(a, grid_of(b)) == -1; }

/// Each sample by itself.
template <class Function>
Image mapped(const Image& image, const Function& function) {
  Image out(image.type(), image.shape());
  const std::vector<double> values = values_of(image);
  std::size_t at = 0;
  for (std::int64_t z = 0; z < image.shape().z; ++z)
    for (std::int64_t y = 0; y < image.shape().y; ++y)
      for (std::int64_t x = 0; x < image.shape().x; ++x) {
        morphology_testing::set(out, z, y, x, function(values[at++]));
      }
  return out;
}

Image negated(const Image& image) {
  const auto [lowest, highest] = range_of(image.type());
  const double sum = image.type() == Type::F32 ? 0 : lowest + highest;
  return mapped(image, [sum](double value) { return sum - value; });
}

RC_GTEST_PROP(MedianLaw, every_rank_is_as_defined, ()) {
  const Subject s = arbitrary_subject();
  RC_ASSERT(first_difference(median({}, s.image, s.options), reference(s.image, s.options)) == -1);
}

RC_GTEST_PROP(MedianLaw, every_rank_commutes_with_monotone_maps, ()) {
  const Subject s = arbitrary_subject();
  const double step = *rc::gen::inRange(1, 300);
  const auto lowest = range_of(s.image.type()).first;
  const double origin = s.image.type() == Type::F32 ? 0 : lowest;
  // Down to multiples: equal values stay equal, and others may become so.
  const auto coarse = [&](double value) {
    return std::isinf(value) ? value : origin + std::floor((value - origin) / step) * step;
  };
  RC_ASSERT(same(median({}, mapped(s.image, coarse), s.options), mapped(median({}, s.image, s.options), coarse)));
}

RC_GTEST_PROP(MedianLaw, the_median_of_odd_counts_commutes_with_negation, ()) {
  Subject s = arbitrary_subject();
  s.options.percentile = 50;
  s.options.border = *rc::gen::element(Border::reflect(), Border::nearest(), Border::mirror(), Border::wrap());
  RC_PRE(s.options.window.sum(s.image.shape().rank).count() % 2 == 1);
  RC_ASSERT(same(median({}, negated(s.image), s.options), negated(median({}, s.image, s.options))));
}

RC_GTEST_PROP(MedianLaw, lowest_and_highest_ranks_are_erosions_and_dilations, ()) {
  Subject s = arbitrary_subject();
  s.options.iterations = 1;
  // Where a window sees nothing a median keeps the sample and an erosion does not.
  s.options.window = *rc::gen::element<StructuringElement>("rect:4x3", "disk:3", "cross:2", "rect:1x8");
  MorphologyOptions options{.element = s.options.window};
  options.border = s.options.border;
  s.options.percentile = 0;
  RC_ASSERT(same(median({}, s.image, s.options), erode({}, s.image, options)));
  s.options.percentile = 100;
  options.element = s.options.window.reflected();
  RC_ASSERT(same(median({}, s.image, s.options), dilate({}, s.image, options)));
}

RC_GTEST_PROP(MedianLaw, iterations_compose, ()) {
  Subject s = arbitrary_subject();
  s.options.iterations = 1;
  Image one_by_one = median({}, s.image, s.options);
  one_by_one = median({}, one_by_one, s.options);
  one_by_one = median({}, one_by_one, s.options);
  s.options.iterations = 3;
  RC_ASSERT(same(median({}, s.image, s.options), one_by_one));
}

RC_GTEST_PROP(MedianLaw, roots_stay_as_they_are, ()) {
  Subject s = arbitrary_subject();
  s.options.percentile = 50;
  s.options.window = "rect:3x1";
  // On a ring, and between mirrors that do not repeat the edge, two values can change places for ever.
  RC_PRE(s.options.border != Border::mirror() && s.options.border != Border::wrap());
  // Medians of three along a line reach a root in half its length.
  s.options.iterations = s.image.shape().x;
  const Image root = median({}, s.image, s.options);
  s.options.iterations = 1;
  RC_ASSERT(same(median({}, root, s.options), root));
}

RC_GTEST_PROP(MedianLaw, order_is_kept, ()) {
  const Subject s = arbitrary_subject();
  const Image lower = erode({}, s.image, {.element = "rect:3x1"});  // below, for it holds its origin
  const std::vector<double> below = values_of(median({}, lower, s.options));
  const std::vector<double> above = values_of(median({}, s.image, s.options));
  RC_ASSERT(std::equal(below.begin(), below.end(), above.begin(), [](double a, double b) { return a <= b; }));
}

RC_GTEST_PROP(MedianLaw, bits_are_bytes_of_zeros_and_ones, ()) {
  Subject s = arbitrary_subject();
  const Image bits = random_image(Type::Bool, s.image.shape(), *rc::gen::arbitrary<unsigned>());
  Image bytes(Type::U8, bits.shape());
  for (std::int64_t z = 0; z < bits.shape().z; ++z)
    for (std::int64_t y = 0; y < bits.shape().y; ++y)
      for (std::int64_t x = 0; x < bits.shape().x; ++x) bytes.row<std::uint8_t>(z, y)[x] = bits.bit(z, y, x);
  const Image by_bits = median({}, bits, s.options);
  RC_ASSERT(values_of(by_bits) == values_of(median({}, bytes, s.options)));
  // And nothing is left in the unused bits of a row.
  const auto used = static_cast<unsigned>(bits.shape().x % 64);
  for (std::int64_t y = 0; used != 0 && y < bits.shape().y; ++y) {
    RC_ASSERT(by_bits.row<std::uint64_t>(0, y)[bits.shape().x / 64] >> used == 0U);
  }
}

}  // namespace
}  // namespace tamis
