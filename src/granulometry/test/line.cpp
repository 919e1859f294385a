#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/morphology.hpp>

namespace tamis {
namespace {

/// Few values, so that there are plateaus.
Image noise(Type type, const Shape& shape, unsigned seed) {
  Image image(type, shape);
  std::mt19937 random(seed);
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      for (std::int64_t x = 0; x < shape.x; ++x) {
        const unsigned value = random() % 5;
        if (type == Type::Bool && value > 0) image.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
        if (type == Type::U8) image.row<std::uint8_t>(z, y)[x] = static_cast<std::uint8_t>(9 + value);
        if (type == Type::U16) image.row<std::uint16_t>(z, y)[x] = static_cast<std::uint16_t>(900 * value);
        if (type == Type::I16) image.row<std::int16_t>(z, y)[x] = static_cast<std::int16_t>(value) - 3;
        if (type == Type::F32) image.row<float>(z, y)[x] = 0.25F * static_cast<float>(value) - 0.5F;
      }
    }
  }
  return image;
}

/// Sums of what openings leave, by definition; values above the lowest (below the highest).
double sum_of(const Image& image, const GreyScale& scale) {
  double sum = 0;
  for (std::int64_t z = 0; z < image.shape().z; ++z) {
    for (std::int64_t y = 0; y < image.shape().y; ++y) {
      for (std::int64_t x = 0; x < image.shape().x; ++x) {
        double value = 0;
        if (image.type() == Type::Bool) value = image.bit(z, y, x);
        if (image.type() == Type::U8) value = image.row<std::uint8_t>(z, y)[x];
        if (image.type() == Type::U16) value = image.row<std::uint16_t>(z, y)[x];
        if (image.type() == Type::I16) value = image.row<std::int16_t>(z, y)[x];
        if (image.type() == Type::F32) value = image.row<float>(z, y)[x];
        sum += std::abs(std::max(-1e9, std::min(1e9, value)) - scale.base) / scale.step;
      }
    }
  }
  return sum;
}

/// Where no segment fits an opening leaves the type's lowest value; here that is the image's.
Image padded(const Image& image) {
  const Shape& shape = image.shape();
  Image out(image.type(), {shape.z, shape.y + 2, shape.x + 2, shape.rank});
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      for (std::int64_t x = 0; x < shape.x; ++x) {
        if (image.bit(z, y, x)) out.row<std::uint64_t>(z, y + 1)[(x + 1) / 64] |= std::uint64_t{1} << ((x + 1) % 64);
      }
    }
  }
  return out;
}

void expect_openings(const Image& image, const LineGranulometryOptions& options) {
  const Sizes sizes = line_granulometry({}, image, options);
  const GreyScale scale = sizes.grey.value_or(GreyScale{});
  ASSERT_EQ(static_cast<double>(sizes.volume[0]), sum_of(image, scale));
  for (std::int64_t n = 1; n < sizes.rows(); ++n) {
    MorphologyOptions step;
    step.element = StructuringElement::line(static_cast<double>(n), options.angle);
    step.lines = Lines::Traced;
    step.border = options.border == DomainBorder::Neutral ? Border::neutral() : Border::fit();
    const Image left = options.phase == Phase::Dark ? close({}, image, step) : open({}, image, step);
    ASSERT_EQ(static_cast<double>(sizes.volume[static_cast<std::size_t>(n)]), sum_of(left, scale))
        << "size " << n << " angle " << options.angle;
  }
  EXPECT_TRUE(sizes.never_empties || sizes.volume.back() == 0);
  EXPECT_EQ(sizes.width(7), 7.0);
}

TEST(LineGranulometry, binary_images_agree_with_openings_by_definition) {
  for (double angle = -20; angle < 180; angle += 12.5) {
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      ASSERT_NO_FATAL_FAILURE(expect_openings(noise(Type::Bool, {1, 23, 71, 2}, 1), {angle, border}));
      ASSERT_NO_FATAL_FAILURE(expect_openings(noise(Type::Bool, {2, 12, 9, 3}, 2), {angle, border}));
    }
  }
}

TEST(LineGranulometry, grey_images_agree_with_openings_by_definition) {
  for (double angle = 0; angle < 180; angle += 22.5) {
    for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
      for (const Phase phase : {Phase::Bright, Phase::Dark}) {
        ASSERT_NO_FATAL_FAILURE(expect_openings(noise(type, {1, 19, 26, 2}, 3), {angle, DomainBorder::Neutral, phase}));
      }
    }
  }
}

TEST(LineGranulometry, a_background_border_is_a_frame_of_the_lowest_value) {
  const Image image = noise(Type::Bool, {1, 20, 33, 2}, 4);
  for (const double angle : {0.0, 90.0}) {
    const Sizes framed = line_granulometry({}, padded(image), {angle, DomainBorder::Neutral});
    EXPECT_EQ(line_granulometry({}, image, {angle}).volume, framed.volume);
  }
}

TEST(LineGranulometry, lines_end_where_the_domain_does) {
  Image domain(Type::Bool, {1, 1, 9, 2});
  domain.row<std::uint64_t>(0, 0)[0] = 0b011111101;
  Image object(Type::Bool, {1, 1, 9, 2});
  object.row<std::uint64_t>(0, 0)[0] = 0b001111001;
  const Sizes cut = line_granulometry({}, object, {0, DomainBorder::Background}, domain);
  EXPECT_EQ(cut.volume, (std::vector<std::int64_t>{5, 5, 4, 4, 4, 0}));
  // The single sample fills its line; the four touch nothing.
  const Sizes kept = line_granulometry({}, object, {0, DomainBorder::Neutral}, domain);
  EXPECT_TRUE(kept.never_empties);
  EXPECT_EQ(kept.volume, (std::vector<std::int64_t>{5, 5, 5, 5, 5, 1}));
  object.row<std::uint64_t>(0, 0)[0] |= 2;
  EXPECT_THROW((void)line_granulometry({}, object, {}, domain), InputError);
}

TEST(LineGranulometry, limits_and_errors) {
  const Image image = noise(Type::U8, {1, 19, 26, 2}, 3);
  const Sizes all = line_granulometry({}, image, {30});
  Sizes limited = line_granulometry({}, image, {30, DomainBorder::Background, Phase::Bright, 2});
  EXPECT_TRUE(limited.limited);
  EXPECT_EQ(limited.volume, std::vector<std::int64_t>(all.volume.begin(), all.volume.begin() + 3));
  EXPECT_THROW((void)line_granulometry({}, image, {std::nan("")}), InputError);
  EXPECT_THROW((void)line_granulometry({}, Image(), {}), InputError);
  EXPECT_THROW((void)line_granulometry({}, Image(Type::F64, {1, 4, 4, 2}), {}), InputError);
  EXPECT_THROW((void)line_granulometry({}, image, {}, noise(Type::Bool, {1, 19, 26, 2}, 3)), InputError);
  Image odd(Type::F32, {1, 3, 3, 2});
  odd.row<float>(0, 1)[1] = std::numeric_limits<float>::infinity();
  EXPECT_THROW((void)line_granulometry({}, odd, {}), InputError);
  EXPECT_EQ(line_granulometry({}, Image(Type::Bool, {1, 4, 5, 2})).volume, std::vector<std::int64_t>{0});
}

}  // namespace
}  // namespace tamis
