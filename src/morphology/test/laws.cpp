// Laws, on arbitrary images, elements and borders.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include <tamis/morphology.hpp>

#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using namespace morphology_testing;

Shape arbitrary_shape() {
  const int rank = *rc::gen::element(2, 3);
  return {rank == 3 ? *rc::gen::inRange<std::int64_t>(1, 7) : 1, *rc::gen::inRange<std::int64_t>(1, 14),
          *rc::gen::inRange<std::int64_t>(1, 80), rank};
}

/// Any points, symmetric or not, with their origin or without.
StructuringElement arbitrary_element(int rank) {
  const auto part = [&] {
    std::vector<OffsetSet::Run> runs;
    for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
      const std::int64_t z = rank == 3 ? *rc::gen::inRange(-2, 3) : 0;
      runs.push_back({{z, *rc::gen::inRange(-3, 4), *rc::gen::inRange(-6, 7)}, *rc::gen::inRange(1, 5)});
    }
    return StructuringElement(OffsetSet(runs), rank);
  };
  return *rc::gen::inRange(0, 3) == 0 ? part() + part() : part();
}

struct Subject {
  Image image;
  MorphologyOptions options;
};

Subject arbitrary_subject(bool any_border) {
  const Shape shape = arbitrary_shape();
  const Type type = *rc::gen::elementOf(filter_types);
  Subject subject{random_image(type, shape, *rc::gen::arbitrary<unsigned>()), {}};
  subject.options.element = arbitrary_element(shape.rank);
  if (any_border) subject.options.border = *rc::gen::elementOf(borders_for(type));
  subject.options.iterations = *rc::gen::inRange(1, 4);
  return subject;
}

bool everywhere_below(const Image& a, const Image& b) {
  const Grid below = grid_of(a), above = grid_of(b);
  for (std::size_t i = 0; i < below.values.size(); ++i) {
    if (below.values[i] > above.values[i]) return false;
  }
  return true;
}

bool same(const Image& a, const Image& b) { return first_difference(grid_of(a), grid_of(b)) == -1; }

/// Highest minus value (of F32 minus the value), which turns minima into maxima.
Image negated(const Image& image) {
  Image out(image.type(), image.shape());
  const Grid grid = grid_of(image);
  std::size_t at = 0;
  for (std::int64_t z = 0; z < image.shape().z; ++z)
    for (std::int64_t y = 0; y < image.shape().y; ++y)
      for (std::int64_t x = 0; x < image.shape().x; ++x, ++at) {
        const double value = grid.values[at];
        set(out, z, y, x, image.type() == Type::F32 ? -value : grid.highest + grid.lowest - value);
      }
  return out;
}

RC_GTEST_PROP(MorphologyLaw, opening_is_idempotent_and_below_for_every_element, ()) {
  const Subject s = arbitrary_subject(false);
  const Image opened = open({}, s.image, s.options);
  RC_ASSERT(everywhere_below(opened, s.image));
  RC_ASSERT(same(open({}, opened, s.options), opened));
}

RC_GTEST_PROP(MorphologyLaw, closing_is_idempotent_and_above_for_every_element, ()) {
  const Subject s = arbitrary_subject(false);
  const Image closed = close({}, s.image, s.options);
  RC_ASSERT(everywhere_below(s.image, closed));
  RC_ASSERT(same(close({}, closed, s.options), closed));
}

RC_GTEST_PROP(MorphologyLaw, openings_are_erosions_then_dilations, ()) {
  const Subject s = arbitrary_subject(true);
  RC_ASSERT(same(open({}, s.image, s.options), dilate({}, erode({}, s.image, s.options), s.options)));
  RC_ASSERT(same(close({}, s.image, s.options), erode({}, dilate({}, s.image, s.options), s.options)));
}

RC_GTEST_PROP(MorphologyLaw, dilation_is_erosion_of_the_negative_by_the_reflected_element, ()) {
  Subject s = arbitrary_subject(false);
  s.options.border =
      *rc::gen::element(Border::neutral(), Border::reflect(), Border::nearest(), Border::mirror(), Border::wrap());
  MorphologyOptions reflected = s.options;
  reflected.element = s.options.element.reflected();
  RC_ASSERT(same(dilate({}, s.image, s.options), negated(erode({}, negated(s.image), reflected))));
}

RC_GTEST_PROP(MorphologyLaw, erosion_keeps_order, ()) {
  const Subject s = arbitrary_subject(true);
  const Image lower = erode({}, s.image, {.element = "rect:3x1"});  // below, for it holds its origin
  RC_ASSERT(everywhere_below(erode({}, lower, s.options), erode({}, s.image, s.options)));
  RC_ASSERT(everywhere_below(dilate({}, lower, s.options), dilate({}, s.image, s.options)));
}

RC_GTEST_PROP(MorphologyLaw, sums_act_one_after_the_other, ()) {
  Subject s = arbitrary_subject(true);
  s.options.iterations = 1;
  const StructuringElement first = arbitrary_element(s.image.shape().rank);
  const StructuringElement then = arbitrary_element(s.image.shape().rank);
  const auto by = [&](const StructuringElement& element) {
    MorphologyOptions options = s.options;
    options.element = element;
    return options;
  };
  RC_ASSERT(same(erode({}, s.image, by(first + then)), erode({}, erode({}, s.image, by(first)), by(then))));
  RC_ASSERT(same(dilate({}, s.image, by(first + then)), dilate({}, dilate({}, s.image, by(then)), by(first))));
}

RC_GTEST_PROP(MorphologyLaw, bits_are_bytes_of_zeros_and_ones, ()) {
  Subject s = arbitrary_subject(true);
  const Image bits = random_image(Type::Bool, s.image.shape(), *rc::gen::arbitrary<unsigned>());
  if (s.options.border.kind == Border::Kind::Constant) s.options.border.value = *rc::gen::inRange(0, 2);
  Image bytes(Type::U8, bits.shape());
  for (std::int64_t z = 0; z < bits.shape().z; ++z)
    for (std::int64_t y = 0; y < bits.shape().y; ++y)
      for (std::int64_t x = 0; x < bits.shape().x; ++x) set(bytes, z, y, x, bits.bit(z, y, x) ? 255 : 0);
  if (s.options.border.kind == Border::Kind::Constant) s.options.border.value *= 255;
  const Image by_bytes = open({}, bytes, s.options);
  s.options.border.value /= 255;
  const Image by_bits = open({}, bits, s.options);
  const Grid a = grid_of(by_bytes), b = grid_of(by_bits);
  for (std::size_t i = 0; i < a.values.size(); ++i) RC_ASSERT((a.values[i] != 0) == (b.values[i] != 0));
  // And nothing is left in the unused bits of a row.
  const std::int64_t used = bits.shape().x % 64;
  for (std::int64_t y = 0; used != 0 && y < bits.shape().y; ++y) {
    RC_ASSERT(by_bits.row<std::uint64_t>(0, y)[bits.shape().x / 64] >> used == 0U);
  }
}

}  // namespace
}  // namespace tamis
