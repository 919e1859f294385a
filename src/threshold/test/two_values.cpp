// Files of two values need no threshold.
#include "threshold/test/testing.hpp"

namespace tamis {
namespace {

using testing::make_source;
using testing::refusal;

void expect_split(SliceSource& source, const std::function<bool(std::int64_t)>& bright) {
  const Shape& shape = source.layout().shape;
  for (const Simd simd : testing::usable_simd()) {
    for (const Phase phase : {Phase::Bright, Phase::Dark}) {
      Context context;
      context.simd = simd;
      context.memory_bytes = 1;  // a slice a slab
      const Binary got = binarise(context, source, {.phase = phase});
      std::int64_t volume = 0;
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < shape.count(); ++i) {
        const bool object = bright(i) == (phase == Phase::Bright);
        volume += object;
        wrong += got.object.bit(i / shape.x / shape.y, i / shape.x % shape.y, i % shape.x) != object;
      }
      EXPECT_EQ(wrong, 0);
      EXPECT_EQ(got.volume, volume);
      EXPECT_EQ(got.method, ThresholdMethod::TwoValues);
      testing::expect_as_bytes(context, source, {.phase = phase}, {}, got);
    }
  }
}

TEST(TwoValues, the_larger_is_bright_in_every_type) {
  for (const Type type : testing::all_types) {
    for (const bool mapped : {false, true}) {
      const double small = type == Type::Bool ? 0 : 3;
      const double large = type == Type::Bool ? 1 : 100;
      auto source = make_source(
          type, {3, 5, 67, 3}, [&](std::int64_t i) { return i % 3 == 1 ? large : small; }, mapped);
      expect_split(source, [](std::int64_t i) { return i % 3 == 1; });
      EXPECT_EQ(binarise({}, source, {}).threshold, small);
    }
  }
}

TEST(TwoValues, the_second_value_may_come_as_late_as_the_last_sample) {
  const Shape shape{6, 3, 70, 3};
  for (const bool mapped : {false, true}) {
    for (const bool larger_first : {false, true}) {
      auto source = make_source(
          Type::I16, shape, [&](std::int64_t i) { return (i == shape.count() - 1) != larger_first ? 5.0 : -5.0; },
          mapped);
      expect_split(source, [&](std::int64_t i) { return (i == shape.count() - 1) != larger_first; });
    }
  }
}

TEST(TwoValues, a_third_value_is_refused_with_examples_and_methods) {
  for (const bool mapped : {false, true}) {
    auto source = make_source(
        Type::U8, {4, 4, 70, 3}, [](std::int64_t i) { return i == 1100 ? 3.0
                                                             : i % 2   ? 9.0
                                                                       : 7.0; }, mapped);
    EXPECT_EQ(refusal([&] { (void)binarise({}, source, {}); }),
              "the image has more than two values (e.g. 3, 7, 9): give `threshold V` or a method: "
              "otsu, li, kapur, minimum, triangle, isodata, mean");
  }
}

TEST(TwoValues, a_single_value_is_refused) {
  auto source = make_source(Type::F32, {2, 3, 4, 3}, [](std::int64_t) { return 17.0; });
  EXPECT_NE(refusal([&] { (void)binarise({}, source, {}); }).find("has only one value (17): nothing to separate"),
            std::string::npos);
}

TEST(TwoValues, samples_outside_the_region_do_not_count) {
  const Shape shape{4, 9, 70, 3};
  // Outside the mask there is a third value; the first slice lies outside altogether.
  const auto inside = [&](std::int64_t i) { return i >= shape.x * shape.y && i % 5 != 0; };
  auto mask = make_source(Type::U8, shape, [&](std::int64_t i) { return inside(i) ? 1.0 : 0.0; });
  auto source = make_source(Type::U16, shape, [&](std::int64_t i) {
    return !inside(i) ? 999.0 : i / shape.x / shape.y == 3 && i % 2 ? 40.0 : 30.0;
  });
  const Region region{Region::Kind::Mask, &mask};
  for (const Phase phase : {Phase::Bright, Phase::Dark}) {
    Context context;
    context.memory_bytes = 1;
    const Binary got = binarise(context, source, {.phase = phase}, region);
    for (std::int64_t i = 0; i < shape.count(); ++i) {
      const bool bright = i / shape.x / shape.y == 3 && i % 2;
      EXPECT_EQ(got.object.bit(i / shape.x / shape.y, i / shape.x % shape.y, i % shape.x),
                inside(i) && bright == (phase == Phase::Bright));
    }
    EXPECT_EQ(got.threshold, 30);
  }
  EXPECT_NE(refusal([&] { (void)binarise({}, source, {}); }), "");
}

}  // namespace
}  // namespace tamis
