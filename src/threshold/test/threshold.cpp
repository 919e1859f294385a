// Samples to bits: every type, every instruction set, every region, against the naive reference.
#include <cmath>
#include <limits>

#include <rapidcheck.h>

#include "threshold/pack_job.hpp"
#include "threshold/test/reference.hpp"
#include "threshold/test/testing.hpp"

namespace tamis {
namespace {

using testing::ArraySource;
using testing::make_source;
using testing::refusal;
using testing::varied;

ThresholdOptions value(double v) { return {.method = ThresholdMethod::Value, .value = v}; }
ThresholdOptions band(double low, double high) { return {.method = ThresholdMethod::Band, .low = low, .high = high}; }

TEST(Threshold, bytes_are_what_bits_are) {
  for (const Shape& shape : {Shape{1, 7, 130, 2}, Shape{3, 5, 64, 3}, Shape{1, 300, 2100, 2}}) {
    auto mask = make_source(Type::U8, shape, [](std::int64_t i) { return i % 7 < 3 ? 0.0 : 9.0; });
    for (const Type type : {Type::U8, Type::I8, Type::I16, Type::F32}) {
      auto source = make_source(type, shape, [](std::int64_t i) { return static_cast<double>(i * 37 % 101); });
      for (ThresholdOptions options : {value(60), band(20, 90), ThresholdOptions{.method = ThresholdMethod::Otsu}}) {
        for (const Region& region : {Region{}, Region{.kind = Region::Kind::Mask, .mask = &mask}}) {
          for (const Simd simd : testing::usable_simd()) {
            Context context;
            context.simd = simd;
            for (const Phase phase : {Phase::Bright, Phase::Dark}) {
              options.phase = phase;
              testing::expect_as_bytes(context, source, options, region, binarise(context, source, options, region));
            }
          }
        }
      }
    }
  }
}

void expect_reference(const ArraySource& source, const Binary& got, double above, double up_to, Phase phase) {
  const Layout& layout = source.layout();
  std::int64_t volume = 0;
  std::int64_t inside_volume = 0;
  std::int64_t wrong = 0;
  visit_type(layout.type, [&](auto zero) {
    for (std::int64_t z = 0; z < layout.shape.z; ++z) {
      for (std::int64_t y = 0; y < layout.shape.y; ++y) {
        for (std::int64_t x = 0; x < layout.shape.x; ++x) {
          const bool inside = got.domain.empty() || got.domain.bit(got.domain.shape().z == 1 ? 0 : z, y, x);
          const bool bright = reference::is_bright(source.at<decltype(zero)>(z, y, x), above, up_to);
          const bool object = inside && bright == (phase == Phase::Bright);
          wrong += got.object.bit(z, y, x) != object;
          volume += object;
          inside_volume += inside;
        }
      }
    }
  });
  EXPECT_EQ(wrong, 0) << name(layout.type) << " " << to_string(layout.shape) << " " << above << ":" << up_to;
  EXPECT_EQ(got.volume, volume);
  EXPECT_EQ(got.domain_volume, inside_volume);
}

TEST(Threshold, every_type_simd_region_and_phase_agrees_with_the_reference) {
  const Shape shapes[] = {{1, 7, 130, 2}, {5, 9, 64, 3}, {3, 4, 1, 3}, {2, 3, 200, 3}};
  for (const Shape& shape : shapes) {
    auto mask = make_source(Type::U16, shape, [](std::int64_t i) { return i % 7 < 3 ? 0.0 : 9.0; });
    for (const Type type : testing::all_types) {
      for (const bool mapped : {false, true}) {
        auto source = varied(type, shape, mapped);
        for (const Simd simd : testing::usable_simd()) {
          for (const Phase phase : {Phase::Bright, Phase::Dark}) {
            for (const auto kind : {Region::Kind::All, Region::Kind::Cylinder, Region::Kind::Mask}) {
              Context context;
              context.simd = simd;
              context.threads = 2;
              context.memory_bytes = 1;  // a slice a slab
              ThresholdOptions options = value(33.4);
              options.phase = phase;
              expect_reference(source, binarise(context, source, options, {kind, &mask}), 33.4, INFINITY, phase);
              options = band(-20, 60);
              options.phase = phase;
              expect_reference(source, binarise(context, source, options, {kind, &mask}), -20, 60, phase);
            }
          }
        }
      }
    }
  }
}

TEST(Threshold, thresholds_beyond_or_between_the_values_of_the_type_are_exact) {
  for (const Type type : testing::all_types) {
    auto source = varied(type, {2, 5, 70, 3}, true);
    for (const double v : {-3.0, -0.5, 0.0, 0.5, 300.5, 255.0, 65535.0, -32768.0, -32769.0, 32766.5, 1e300, -1e300,
                           9.3e18, 0x1p63, -0x1p63, 0x1p64, 1.0 / 3, 119.0, 4294967295.0}) {
      expect_reference(source, binarise({}, source, value(v)), v, INFINITY, Phase::Bright);
      expect_reference(source, binarise({}, source, band(v, v + std::max(1.0, std::abs(v)))), v,
                       v + std::max(1.0, std::abs(v)), Phase::Bright);
    }
  }
}

TEST(Threshold, neighbours_beyond_2_to_the_53_are_told_apart) {
  const std::int64_t big = (std::int64_t{1} << 60) + 1;
  std::vector<std::byte> bytes(16);
  const std::int64_t samples[] = {big - 1, big};
  std::memcpy(bytes.data(), samples, 16);
  ArraySource source({Type::I64, {1, 1, 2, 2}, 1, {}}, bytes);
  const Binary result = binarise({}, source, value(0x1p60));
  EXPECT_FALSE(result.object.bit(0, 0, 0));
  EXPECT_TRUE(result.object.bit(0, 0, 1));
  ASSERT_EQ(binarise({}, source, {}).volume, 1);
}

TEST(Threshold, bounds_clamp_to_the_range_of_the_type) {
  using threshold_detail::Bounds;
  using threshold_detail::bounds;
  EXPECT_EQ(bounds<std::uint8_t>(-3, INFINITY), (Bounds<std::uint8_t>{0, 255}));
  EXPECT_EQ(bounds<std::uint8_t>(254.9, INFINITY), (Bounds<std::uint8_t>{255, 255}));
  EXPECT_GT(bounds<std::uint8_t>(255, INFINITY).low, bounds<std::uint8_t>(255, INFINITY).high);
  EXPECT_GT(bounds<std::uint8_t>(300.5, INFINITY).low, bounds<std::uint8_t>(300.5, INFINITY).high);
  EXPECT_GT(bounds<std::uint8_t>(-9, -3).low, bounds<std::uint8_t>(-9, -3).high);
  EXPECT_EQ(bounds<float>(0.1, INFINITY).low, 0.1F);  // 0.1F is above 0.1
  EXPECT_EQ(bounds<float>(0.5, 0.7),
            (Bounds<float>{std::nextafter(0.5F, 1.0F),
                           std::nextafter(0.7F, 1.0F) > 0.7 ? 0.7F : std::nextafter(0.7F, 1.0F)}));
}

TEST(Threshold, bright_and_dark_share_out_the_domain) {
  rc::check("bright and dark share out the domain", [] {
    const Shape shape{*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 9), *rc::gen::inRange(1, 150), 3};
    const auto samples = *rc::gen::container<std::vector<std::uint8_t>>(static_cast<std::size_t>(shape.count()),
                                                                        rc::gen::arbitrary<std::uint8_t>());
    auto source = make_source(
        Type::U8, shape, [&](std::int64_t i) { return samples[static_cast<std::size_t>(i)]; },
        *rc::gen::arbitrary<bool>());
    ThresholdOptions options = value(*rc::gen::inRange(-1, 257));
    const Region region{.kind = Region::Kind::Cylinder};
    const Binary bright = binarise({}, source, options, region);
    options.phase = Phase::Dark;
    const Binary dark = binarise({}, source, options, region);
    RC_ASSERT(bright.volume + dark.volume == bright.domain_volume);
    for (std::int64_t i = 0; i < bright.object.bytes() / 8; ++i) {
      const auto word = [i](const Image& image) { return image.row<std::uint64_t>(0, 0)[i]; };
      const std::int64_t per_slice = bright.domain.bytes() / 8;
      RC_ASSERT((word(bright.object) ^ word(dark.object)) == bright.domain.row<std::uint64_t>(0, 0)[i % per_slice]);
    }
  });
}

TEST(Threshold, a_bad_threshold_is_refused) {
  auto source = varied(Type::U8, {1, 4, 4, 2}, false);
  EXPECT_NE(refusal([&] { (void)binarise({}, source, value(NAN)); }).find("finite"), std::string::npos);
  EXPECT_NE(refusal([&] { (void)binarise({}, source, value(INFINITY)); }).find("finite"), std::string::npos);
  EXPECT_NE(refusal([&] { (void)binarise({}, source, band(5, 5)); }).find("LO below HI"), std::string::npos);
  EXPECT_NE(refusal([&] { (void)binarise({}, source, band(NAN, 5)); }).find("5"), std::string::npos);
}

TEST(Threshold, colour_is_refused_with_the_flag_that_helps) {
  ArraySource source({Type::U8, {1, 2, 2, 2}, 3, {}}, std::vector<std::byte>(12));
  EXPECT_NE(refusal([&] { (void)binarise({}, source, value(1)); }).find("`channel 0`"), std::string::npos);
  EXPECT_NE(refusal([&] { (void)histogram({}, source); }).find("3 channels"), std::string::npos);
}

TEST(Threshold, the_first_nan_inside_the_region_is_named) {
  for (const Type type : {Type::F32, Type::F64}) {
    for (const Simd simd : testing::usable_simd()) {
      auto source = make_source(type, {3, 70, 70, 3}, [](std::int64_t i) {
        return i == 4900 + 69 * 70 + 35 || i == 2 * 4900 + 5 || i == 0 ? NAN : static_cast<double>(i % 2);
      });
      Context context;
      context.simd = simd;
      const Region region{.kind = Region::Kind::Cylinder};  // leaves out the NaN in the corner
      const auto says = [&](const ThresholdOptions& options, const Region& where) {
        return refusal([&] { (void)binarise(context, source, options, where); });
      };
      for (const ThresholdOptions& options :
           {value(0.5), band(0, 1), ThresholdOptions{}, ThresholdOptions{.method = ThresholdMethod::Otsu}}) {
        EXPECT_NE(says(options, region).find("NaN at x 35, y 69, z 1"), std::string::npos) << says(options, region);
        EXPECT_NE(says(options, {}).find("NaN at x 0, y 0, z 0"), std::string::npos) << says(options, {});
      }
    }
  }
}

TEST(Threshold, a_mask_of_another_shape_or_with_nothing_inside_is_refused) {
  auto source = varied(Type::U8, {3, 4, 5, 3}, false);
  const auto says = [&](const Shape& shape, double inside) {
    auto mask = make_source(Type::U8, shape, [&](std::int64_t) { return inside; });
    return refusal([&] { (void)binarise({}, source, value(1), {Region::Kind::Mask, &mask}); });
  };
  EXPECT_NE(says({3, 5, 4, 3}, 1).find("wanted 5x4x3"), std::string::npos);
  EXPECT_NE(says({1, 4, 5, 3}, 1).find("wanted 5x4x3"), std::string::npos);
  EXPECT_NE(says({3, 4, 5, 3}, 0).find("0 everywhere"), std::string::npos);
  EXPECT_EQ(says({1, 4, 5, 2}, 1), "");
  EXPECT_NE(refusal([&] { (void)binarise({}, source, value(1), {Region::Kind::Mask, nullptr}); }), "");
}

TEST(Threshold, the_inscribed_disk_touches_all_four_edges_and_is_symmetric) {
  for (const std::int64_t edge : {1, 2, 5, 64, 65}) {
    const Image disk = inscribed_disk(edge, edge);
    for (std::int64_t i = 0; i < edge; ++i) {
      for (std::int64_t j = 0; j < edge; ++j) {
        EXPECT_EQ(disk.bit(0, i, j), disk.bit(0, j, i));
        EXPECT_EQ(disk.bit(0, i, j), disk.bit(0, edge - 1 - i, j));
      }
    }
    EXPECT_TRUE(disk.bit(0, 0, edge / 2));
  }
  EXPECT_FALSE(inscribed_disk(10, 10).bit(0, 0, 0));
  EXPECT_FALSE(inscribed_disk(10, 30).bit(0, 5, 0));
}

TEST(Threshold, the_stages_are_named_and_a_stop_request_ends_the_work) {
  auto source = varied(Type::U8, {4, 8, 8, 3}, true);
  std::vector<std::string> stages;
  Context context;
  context.on_stage = [&](std::string_view stage, double) { stages.emplace_back(stage); };
  (void)binarise(context, source, {.method = ThresholdMethod::Otsu});
  EXPECT_EQ(stages, (std::vector<std::string>{"histogram", "threshold"}));
  std::stop_source stop;
  stop.request_stop();
  context.cancel = stop.get_token();
  EXPECT_THROW((void)binarise(context, source, value(1)), Cancelled);
}

}  // namespace
}  // namespace tamis
