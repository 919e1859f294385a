// Grey granulometry against the definition, and its laws.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <tuple>

#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>

#include "core/visit_type.hpp"
#include "granulometry/test/testing.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using morphology_reference::Grid;
using morphology_testing::grid_of;
using morphology_testing::half;

const std::vector<GreyElement> flat_elements = {GreyElement::Cross, GreyElement::Square, GreyElement::Octagon,
                                                GreyElement::Disk};
const std::vector<GreyElement> all_elements = {GreyElement::Cross, GreyElement::Square, GreyElement::Octagon,
                                               GreyElement::Disk,  GreyElement::Cube,   GreyElement::Ball};

Context on_cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

std::string spec(GreyElement element, std::int64_t n) {
  const bool by_edge = element == GreyElement::Square || element == GreyElement::Cube;
  return std::string(name(element)) + ":" + std::to_string(by_edge ? 2 * n + 1 : n);
}

/// What no element reaches: without a border to come from, each slice's own lowest value if sieved slice by slice.
double floor_of(const Grid& f, const GreyGranulometryOptions& options, double base) {
  const bool flat = options.element == GreyElement::Square || options.element == GreyElement::Octagon ||
                    options.element == GreyElement::Disk;
  if (!flat || options.border == DomainBorder::Background) return 0;
  const std::int64_t area = f.shape.y * f.shape.x;
  double sum = 0;
  for (auto slice = f.values.begin(); slice != f.values.end(); slice += area) {
    const auto [low, high] = std::minmax_element(slice, slice + area);
    sum += static_cast<double>(area) * std::abs((options.phase == Phase::Bright ? *low : *high) - base);
  }
  return sum;
}

/// Sums of opening n less the lowest value, from the definition, up to the first that is all that can be left; of
/// closings if dark.
std::vector<double> reference(const Image& image, const GreyGranulometryOptions& options) {
  const Grid f = grid_of(image);
  const bool bright = options.phase == Phase::Bright;
  const auto [low, high] = std::minmax_element(f.values.begin(), f.values.end());
  const double base = bright ? *low : *high;
  MorphologyOptions each;
  each.border = options.border == DomainBorder::Neutral ? Border::neutral() : Border::constant(base);
  std::vector<double> sums;
  for (std::int64_t n = 0; n <= options.max_size.value_or(1000); ++n) {
    each.element = spec(options.element, n);
    double sum = 0;
    for (const double value : half(half(f, each, bright), each, !bright).values) sum += std::abs(value - base);
    sums.push_back(sum);
    if (sum == floor_of(f, options, base)) break;
  }
  return sums;
}

/// Of F32 images such that sums of doubles are exact: values of few bits.
Image random_grey(Type type, const Shape& shape, unsigned seed) {
  Image image = morphology_testing::random_image(type, shape, seed);
  std::mt19937 random(seed);
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        if (type == Type::F32) {
          image.row<float>(z, y)[x] = static_cast<float>(static_cast<double>(random() % 4096) - 1000) / 8;
        }
        // Plateaus: noise has no sizes.
        if (random() % 3 != 0 && x > 0) {
          visit_type(type, [&](auto sample) {
            auto* const row = image.row<decltype(sample)>(z, y);
            row[x] = row[x - 1];
          });
        }
      }
  return image;
}

void expect_reference(const Context& context, const Image& image, const GreyGranulometryOptions& options) {
  const Sizes sizes = grey_granulometry(context, image, options);
  const std::vector<double> expected = reference(image, options);
  ASSERT_EQ(sizes.rows(), static_cast<std::int64_t>(expected.size()));
  double total = 0;
  for (std::int64_t n = 0; n < sizes.rows(); ++n) {
    EXPECT_EQ(sizes.sum(n), expected[static_cast<std::size_t>(n)]) << n;
    total += sizes.spectrum_sum(n);
  }
  EXPECT_EQ(total, sizes.sum(0));
}

TEST(GreyGranulometry, every_type_element_border_and_phase_agrees_with_the_definition) {
  const Shape plane{1, 13, 17, 2};
  const Shape solid{5, 6, 7, 3};
  for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32})
    for (const Shape& shape : {plane, solid})
      for (const GreyElement element : shape.rank == 2 ? flat_elements : all_elements)
        for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
          for (const Phase phase : {Phase::Bright, Phase::Dark}) {
            SCOPED_TRACE(std::string(name(type)) + " " + to_string(shape) + " " + std::string(name(element)) + " " +
                         std::string(name(border)) + (phase == Phase::Dark ? " dark" : " bright"));
            expect_reference(on_cpu(), random_grey(type, shape, 3), {element, border, phase, {}});
          }
}

TEST(GreyGranulometry, odd_shapes_agree_with_the_definition) {
  for (const Shape& shape : granulometry_testing::odd_shapes) {
    SCOPED_TRACE(to_string(shape));
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      expect_reference(on_cpu(), random_grey(Type::U8, shape, 5), {GreyElement::Cross, border, Phase::Bright, 6});
      expect_reference(on_cpu(), random_grey(Type::F32, shape, 6), {GreyElement::Disk, border, Phase::Dark, 6});
    }
  }
}

TEST(GreyGranulometry, threads_and_instruction_sets_make_no_difference) {
  const Image image = morphology_testing::random_image(Type::U16, {1, 300, 401, 2}, 1);
  Image wild(Type::F32, image.shape());  // of all magnitudes, where the order of a sum of doubles shows
  for (std::int64_t i = 0; i < image.shape().count(); ++i) {
    wild.row<float>(0, 0)[i] =
        std::ldexp(static_cast<float>(image.row<std::uint16_t>(0, 0)[i]), static_cast<int>(i % 60) - 30);
  }
  for (const Image* const each : {&image, static_cast<const Image*>(&wild)}) {
    Context one = on_cpu();
    one.threads = 1;
    const Sizes expected = grey_granulometry(one, *each, {.max_size = 5});
    for (Context context : morphology_testing::instruction_sets()) {
      context.threads = 3;
      EXPECT_EQ(grey_granulometry(context, *each, {.max_size = 5}).volume, expected.volume);
    }
  }
}

TEST(GreyGranulometry, real_sums_are_those_of_doubles) {
  Image image(Type::F32, {1, 200, 300, 2});
  std::mt19937 random(1);
  double sum = 0;
  for (std::int64_t i = 0; i < image.shape().count(); ++i) {
    image.row<float>(0, 0)[i] = static_cast<float>(random() % 1000003) * 1e-7F - 0.02F;
  }
  const Sizes sizes = grey_granulometry(on_cpu(), image, {.max_size = 2});
  for (std::int64_t i = 0; i < image.shape().count(); ++i) {
    sum += static_cast<double>(image.row<float>(0, 0)[i]) - sizes.grey->base;
  }
  EXPECT_NEAR(sizes.sum(0), sum, 1e-10 * sum);
  EXPECT_FALSE(sizes.grey->whole);
}

TEST(GreyGranulometry, the_largest_sums_do_not_overflow) {
  Image image(Type::F32, {1, 1024, 1024, 2});
  for (std::int64_t i = 1; i < image.shape().count(); ++i) {
    image.row<float>(0, 0)[i] = std::numeric_limits<float>::max();
  }
  image.row<float>(0, 0)[0] = std::numeric_limits<float>::lowest();
  const Sizes sizes = grey_granulometry(on_cpu(), image, {.max_size = 0});
  const double each = 2 * static_cast<double>(std::numeric_limits<float>::max());
  EXPECT_DOUBLE_EQ(sizes.sum(0), each * static_cast<double>(image.shape().count() - 1));
  Image deep(Type::I16, {1, 300, 300, 2});
  for (std::int64_t i = 0; i < deep.shape().count(); ++i) deep.row<std::int16_t>(0, 0)[i] = i == 7 ? -32768 : 32767;
  EXPECT_EQ(grey_granulometry(on_cpu(), deep, {.max_size = 0}).volume[0], std::int64_t{65535} * 89999);
}

TEST(GreyGranulometry, an_image_of_zeros_and_ones_has_the_curve_of_its_object) {
  const std::vector<std::pair<GreyElement, Element>> pairs = {
      {GreyElement::Cross, Element::Cross}, {GreyElement::Square, Element::Square}, {GreyElement::Cube, Element::Cube}};
  for (const Shape& shape : {Shape{1, 60, 77, 2}, Shape{20, 24, 31, 3}})
    for (const auto& [grey, binary] : pairs)
      for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
        if (shape.rank == 2 && grey == GreyElement::Cube) continue;
        const Image object = granulometry_testing::random_object(shape, 0.97, 4);
        Image image(Type::U8, shape);
        for (std::int64_t z = 0; z < shape.z; ++z)
          for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) image.row<std::uint8_t>(z, y)[x] = object.bit(z, y, x);
        const Sizes expected = granulometry(on_cpu(), object, {binary, border, {}});
        const Sizes sizes = grey_granulometry(on_cpu(), image, {grey, border, Phase::Bright, {}});
        EXPECT_EQ(sizes.volume, expected.volume);
        EXPECT_EQ(sizes.border_voxels, expected.border_voxels);
        EXPECT_EQ(sizes.predominant(), expected.predominant());
        EXPECT_EQ(sizes.mean(), expected.mean());
      }
}

TEST(GreyGranulometry, laws_hold_on_arbitrary_images) {
  rc::check("never grows; a constant changes nothing; dark is bright of the negative", [] {
    const Shape shape{1, *rc::gen::inRange<std::int64_t>(1, 20), *rc::gen::inRange<std::int64_t>(1, 20), 2};
    const auto values =
        *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(shape.count()), rc::gen::inRange(-50, 50));
    const auto border = *rc::gen::element(DomainBorder::Background, DomainBorder::Neutral);
    const auto element = *rc::gen::element(GreyElement::Cross, GreyElement::Square);
    Image image(Type::I16, shape), shifted(Type::I16, shape), negative(Type::I16, shape);
    for (std::size_t i = 0; i < values.size(); ++i) {
      image.row<std::int16_t>(0, 0)[i] = static_cast<std::int16_t>(values[i]);
      shifted.row<std::int16_t>(0, 0)[i] = static_cast<std::int16_t>(values[i] + 1234);
      negative.row<std::int16_t>(0, 0)[i] = static_cast<std::int16_t>(-values[i]);
    }
    const Sizes sizes = grey_granulometry(on_cpu(), image, {element, border, Phase::Bright, {}});
    for (std::int64_t n = 0; n < sizes.rows(); ++n) RC_ASSERT(sizes.spectrum(n) >= 0);
    RC_ASSERT(sizes.volume.back() == 0);
    RC_ASSERT(grey_granulometry(on_cpu(), shifted, {element, border, Phase::Bright, {}}).volume == sizes.volume);
    RC_ASSERT(grey_granulometry(on_cpu(), negative, {element, border, Phase::Dark, {}}).volume == sizes.volume);
  });
}

TEST(GreyGranulometry, a_square_counts_at_its_own_size) {
  Image image(Type::U8, {1, 20, 20, 2});
  for (std::int64_t y = 3; y < 10; ++y)
    for (std::int64_t x = 4; x < 11; ++x) image.row<std::uint8_t>(0, y)[x] = 9;
  const Sizes sizes = grey_granulometry(on_cpu(), image, {.element = GreyElement::Square});
  EXPECT_EQ(sizes.volume, (std::vector<std::int64_t>{441, 441, 441, 441, 0}));
  EXPECT_EQ(sizes.predominant(), 3);
  EXPECT_EQ(sizes.width(3), 7.0);
}

TEST(GreyGranulometry, a_limit_ends_the_rows_and_a_constant_image_has_one) {
  const Image image = random_grey(Type::U8, {1, 40, 40, 2}, 2);
  const Sizes some = grey_granulometry(on_cpu(), image, {.max_size = 1});
  EXPECT_EQ(some.rows(), 2);
  EXPECT_TRUE(some.limited);
  Image constant(Type::F32, {1, 4, 4, 2});
  for (int i = 0; i < 16; ++i) constant.row<float>(0, 0)[i] = -3.5F;
  const Sizes none = grey_granulometry(on_cpu(), constant);
  EXPECT_EQ(none.volume, (std::vector<std::int64_t>{0}));
  EXPECT_FALSE(none.limited);
  EXPECT_FALSE(none.predominant());
  EXPECT_EQ(none.grey->base, -3.5);
}

TEST(GreyGranulometry, slices_that_nothing_surrounds_end_as_their_own_lowest_value) {
  Image stack(Type::U8, {2, 5, 5, 3});
  for (std::int64_t i = 0; i < 25; ++i) stack.row<std::uint8_t>(1, 0)[i] = 40;
  stack.row<std::uint8_t>(0, 2)[2] = 7;
  const Sizes sizes =
      grey_granulometry(on_cpu(), stack, {GreyElement::Square, DomainBorder::Neutral, Phase::Bright, {}});
  EXPECT_EQ(sizes.volume, (std::vector<std::int64_t>{1007, 1000}));
  EXPECT_TRUE(sizes.never_empties);
  EXPECT_FALSE(sizes.limited);
  EXPECT_EQ(sizes.predominant(), 0);
}

template <class Error>
std::string refusal(const Context& context, const Image& image, const GreyGranulometryOptions& options = {}) {
  try {
    (void)grey_granulometry(context, image, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "taken";
}

TEST(GreyGranulometry, what_cannot_be_sieved_is_refused_in_one_line) {
  Image image(Type::F32, {2, 3, 4, 3});
  image.row<float>(1, 2)[3] = std::nanf("");
  EXPECT_EQ(refusal<InputError>(on_cpu(), image), "granulometry: the image holds NaN at x 3, y 2, z 1; wanted numbers");
  image.row<float>(1, 2)[3] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(refusal<InputError>(on_cpu(), image),
            "granulometry: the image holds -infinity at x 3, y 2, z 1; wanted numbers");
  EXPECT_EQ(refusal<InputError>(on_cpu(), Image(Type::Bool, {1, 2, 2, 2})),
            "grey granulometry of a bool image; wanted u8, u16, i16 or f32: convert it first");
  EXPECT_EQ(refusal<InputError>(on_cpu(), Image(Type::U8, {1, 2, 2, 2}), {.element = GreyElement::Cube}),
            "element cube on a 2-D image of 2x2; wanted cross, square, octagon or disk");
  EXPECT_EQ(refusal<InputError>(on_cpu(), Image(Type::U8, {1, 2, 2, 2}), {.max_size = 65535}),
            "max_size 65535; wanted 0 to 65534");
  Context small = on_cpu();
  small.memory_bytes = 1 << 20;
  EXPECT_EQ(refusal<ResourceError>(small, Image(Type::U8, {1, 1024, 1024, 2})),
            "4 MiB of memory needed for grey granulometry, the memory limit leaves 1 MiB; wanted a higher limit or a "
            "part of the image");
}

TEST(GreyGranulometry, it_reports_one_stage_and_can_be_cancelled) {
  const Image image = random_grey(Type::U8, {1, 90, 90, 2}, 2);
  std::vector<std::string> stages;
  Context context = on_cpu();
  context.on_stage = [&](std::string_view stage, double) { stages.emplace_back(stage); };
  (void)grey_granulometry(context, image);
  EXPECT_EQ(stages, std::vector<std::string>{"openings"});
  std::stop_source stop;
  Context stopping = on_cpu();
  stopping.cancel = stop.get_token();
  stopping.on_progress = [&](const Progress& progress) {
    if (progress.done == 2) stop.request_stop();
  };
  EXPECT_THROW((void)grey_granulometry(stopping, image), Cancelled);
}

}  // namespace
}  // namespace tamis
