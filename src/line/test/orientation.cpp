// Orientation against the definition: suprema over the reference's openings, ties, sums, the dominant angle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/orientation.hpp>

#include "line/test/reference.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using morphology_reference::Grid;
using morphology_testing::first_difference;
using morphology_testing::grid_of;
using morphology_testing::half;
using morphology_testing::minus;
using morphology_testing::range_of;
using morphology_testing::set;

const std::vector<Type> grey_types = {Type::Bool, Type::U8, Type::U16, Type::I16, Type::F32};

Context on_cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

/// Finite, of few bits, so that sums of doubles are exact.
Image random_image(Type type, const Shape& shape, unsigned seed) {
  Image image = morphology_testing::random_image(type, shape, seed);
  if (type != Type::F32) return image;
  std::mt19937 random(seed);
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        image.row<float>(z, y)[x] = static_cast<float>(random() % 1024) / 8 - 64;
      }
  return image;
}

/// Slice by slice by the reference of traced lines.
Grid traced(const Grid& f, double length, double angle, const OrientationOptions& options) {
  const line_reference::TracedSegment segment{static_cast<std::int64_t>(length), static_cast<std::int64_t>(length) / 2,
                                              angle, options.border.kind == Border::Kind::Fit};
  const auto what = options.phase == Phase::Bright ? line_detail::Along::Open : line_detail::Along::Close;
  const Shape slice{1, f.shape.y, f.shape.x, 2};
  Grid out = f;
  for (std::int64_t z = 0; z < f.shape.z; ++z) {
    const auto begin = f.values.begin() + z * slice.count();
    const std::vector<double> plane(begin, begin + slice.count());
    const std::vector<double> found = line_reference::along(plane, slice, what, segment, f.lowest, f.highest);
    std::copy(found.begin(), found.end(), out.values.begin() + z * slice.count());
  }
  return out;
}

Grid opening(const Grid& f, double length, double angle, const OrientationOptions& options) {
  if (options.lines == Lines::Traced) return traced(f, length, angle, options);
  MorphologyOptions each;
  each.element = StructuringElement::line(length, angle);
  const bool bright = options.phase == Phase::Bright;
  return half(half(f, each, bright), each, !bright);
}

double total(const Grid& grid) {
  double sum = 0;
  for (const double value : grid.values) sum += value;
  return sum;
}

/// Angles with the same segment share what is theirs.
void share_among_equals(const OrientationOptions& options, double length, std::vector<double>& histogram) {
  if (options.lines == Lines::Traced) return;
  const auto set_at = [&](std::size_t i) {
    return StructuringElement::line(length, options.angles.at(static_cast<std::int64_t>(i))).sum(2);
  };
  const std::vector<double> own = histogram;
  for (std::size_t i = 0; i < own.size(); ++i) {
    double sum = 0, equals = 0;
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (set_at(k) != set_at(i)) continue;
      sum += own[k];
      ++equals;
    }
    histogram[i] = sum / equals;
  }
}

/// The definition, from whole openings.
void expect_definition(const Image& image, const OrientationOptions& options, const std::string& what) {
  const Grid f = grid_of(image);
  const bool dark = options.phase == Phase::Dark;
  const Orientation found = orientation(on_cpu(), image, options);
  ASSERT_EQ(found.spectra.size(), options.lengths.size());
  Grid best = f, worst = f, degrees = f;
  std::vector<std::vector<int>> tied(f.values.size());
  for (std::size_t l = 0; l < options.lengths.size(); ++l) {
    for (std::int64_t a = 0; a < options.angles.count; ++a) {
      const Grid opened = opening(f, options.lengths[l], options.angles.at(a), options);
      const auto i = static_cast<std::size_t>(a);
      ASSERT_EQ(found.spectra[l].removed[i], dark ? total(opened) - total(f) : total(f) - total(opened)) << what;
      ASSERT_EQ(found.spectra[l].left[i], total(opened)) << what;
      if (l != found.longest) continue;
      for (std::size_t at = 0; at < f.values.size(); ++at) {
        const double now = opened.values[at];
        if (a == 0 || (dark ? now < best.values[at] : now > best.values[at])) {
          best.values[at] = now;
          tied[at].clear();
        }
        if (now == best.values[at]) tied[at].push_back(static_cast<int>(a));
        if (a == 0 || (dark ? now > worst.values[at] : now < worst.values[at])) worst.values[at] = now;
      }
    }
  }
  std::vector<double> histogram(static_cast<std::size_t>(options.angles.count));
  for (std::size_t at = 0; at < f.values.size(); ++at) {
    const double contrast = std::abs(best.values[at] - worst.values[at]);
    if (contrast == 0) {
      degrees.values[at] = std::nan("");
      continue;
    }
    const AngleRange& angles = options.angles;
    const double middle = line_reference::middle_of_ties(tied[at], static_cast<int>(angles.count), angles.is_whole());
    // Between two angles each has half of it.
    histogram[static_cast<std::size_t>(middle)] += contrast / 2;
    histogram[static_cast<std::size_t>(std::ceil(middle)) % histogram.size()] += contrast / 2;
    const double angle = angles.first + (angles.last - angles.first) * middle / static_cast<double>(angles.count);
    degrees.values[at] = static_cast<float>(std::fmod(angle + 180, 180));
  }
  share_among_equals(options, options.lengths[found.longest], histogram);
  EXPECT_EQ(first_difference(grid_of(found.enhanced), best), -1) << what;
  EXPECT_EQ(first_difference(grid_of(found.contrast), dark ? minus(worst, best) : minus(best, worst)), -1) << what;
  EXPECT_EQ(first_difference(grid_of(found.orientation), degrees), -1) << what;
  EXPECT_EQ(found.histogram, histogram) << what;
}

OrientationOptions few(std::int64_t count, std::vector<double> lengths) {
  OrientationOptions options;
  options.angles = {0, 180, count};
  options.lengths = std::move(lengths);
  return options;
}

TEST(Orientation, maps_and_spectra_are_those_of_the_definition) {
  for (const Type type : grey_types) {
    for (const Shape& shape : {Shape{1, 19, 23, 2}, Shape{3, 9, 14, 3}, Shape{1, 1, 17, 2}, Shape{1, 13, 1, 2}}) {
      const Image image = random_image(type, shape, 5);
      for (const Phase phase : {Phase::Bright, Phase::Dark}) {
        OrientationOptions options = few(12, {7});
        options.phase = phase;
        const std::string what = std::string(name(type)) + " " + to_string(shape);
        expect_definition(image, options, what + " invariant");
        options.lines = Lines::Traced;
        expect_definition(image, options, what + " traced");
        if (type == Type::F32) continue;
        options.border = Border::fit();
        expect_definition(image, options, what + " traced, fit");
      }
    }
  }
}

TEST(Orientation, of_several_lengths_the_maps_are_those_of_the_longest) {
  const Image image = random_image(Type::U8, {1, 21, 30, 2}, 9);
  for (const auto& lengths : {std::vector<double>{3, 11, 7}, {9.5, 2}, {1}, {64, 200}}) {
    expect_definition(image, few(8, lengths), "lengths");
  }
}

TEST(Orientation, ranges_may_begin_below_0_and_leave_their_end_out) {
  OrientationOptions options = few(20, {9});
  options.angles = {-10, 10, 20};
  EXPECT_EQ(options.angles.at(0), -10);
  EXPECT_EQ(options.angles.at(19), 9);
  EXPECT_FALSE(options.angles.is_whole());
  expect_definition(random_image(Type::I16, {1, 20, 20, 2}, 3), options, "range");
}

TEST(Orientation, a_flat_image_has_no_orientation) {
  for (const Type type : grey_types) {
    Image image(type, {1, 9, 12, 2});
    for (std::int64_t y = 0; y < 9; ++y)
      for (std::int64_t x = 0; x < 12; ++x) set(image, 0, y, x, 1);
    const Orientation found = orientation(on_cpu(), image, few(180, {5}));
    for (const double angle : grid_of(found.orientation).values) EXPECT_TRUE(std::isnan(angle));
    EXPECT_EQ(first_difference(grid_of(found.enhanced), grid_of(image)), -1);
    EXPECT_EQ(total(grid_of(found.contrast)), 0);
    EXPECT_FALSE(dominant_angle(found.spectra.front(), found.angles));
  }
}

TEST(Orientation, contrast_of_i16_saturates_and_its_histogram_does_not) {
  Image image(Type::I16, {1, 9, 9, 2});
  for (std::int64_t y = 0; y < 9; ++y)
    for (std::int64_t x = 0; x < 9; ++x) set(image, 0, y, x, y == 4 ? 32767 : -32768);
  const Orientation found = orientation(on_cpu(), image, few(2, {5}));
  EXPECT_EQ(found.contrast.row<std::int16_t>(0, 4)[3], 32767);
  EXPECT_EQ(found.orientation.row<float>(0, 4)[3], 0);
  EXPECT_EQ(found.histogram, (std::vector<double>{9 * 65535.0, 0}));
}

TEST(Orientation, does_not_depend_on_threads_or_instruction_set) {
  const Image image = random_image(Type::F32, {2, 60, 70, 3}, 4);
  const Orientation wanted = orientation(on_cpu(), image, few(36, {15}));
  for (Context context : morphology_testing::instruction_sets()) {
    context.threads = 3;
    const Orientation found = orientation(context, image, few(36, {15}));
    EXPECT_EQ(found.histogram, wanted.histogram);
    EXPECT_EQ(found.spectra.front().removed, wanted.spectra.front().removed);
    EXPECT_EQ(first_difference(grid_of(found.orientation), grid_of(wanted.orientation)), -1);
  }
}

TEST(Orientation, spectra_alone_are_the_same) {
  const Image image = random_image(Type::U16, {1, 33, 44, 2}, 8);
  const OrientationOptions options = few(30, {5, 13});
  const Orientation all = orientation(on_cpu(), image, options);
  const std::vector<AngularSpectrum> alone = angular_spectra(on_cpu(), image, options);
  ASSERT_EQ(alone.size(), 2U);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(alone[i].removed, all.spectra[i].removed);
    EXPECT_EQ(alone[i].left, all.spectra[i].left);
  }
}

/// Stripes with smooth flanks that run at `angle` degrees.
Image stripes(double angle, std::int64_t edge) {
  Image image(Type::F32, {1, edge, edge, 2});
  const double a = angle * std::numbers::pi / 180;
  for (std::int64_t y = 0; y < edge; ++y)
    for (std::int64_t x = 0; x < edge; ++x) {
      const double across = static_cast<double>(x) * std::sin(a) + static_cast<double>(y) * std::cos(a);
      image.row<float>(0, y)[x] = static_cast<float>(std::cos(2 * std::numbers::pi * across / 9));
    }
  return image;
}

TEST(Orientation, stripes_run_where_they_run) {
  for (const Lines lines : {Lines::Invariant, Lines::Traced}) {
    for (const double angle : {0.0, 17.3, 45.0, 63.8, 90.0, 121.25, 135.0, 174.6}) {
      OrientationOptions options = few(180, {61});
      options.lines = lines;
      for (const Phase phase : {Phase::Bright, Phase::Dark}) {
        options.phase = phase;
        const auto spectra = angular_spectra(on_cpu(), stripes(angle, 160), options);
        const double found = dominant_angle(spectra.front(), options.angles).value_or(999);
        // Ends of invariant segments are samples, 1.9 degrees apart here; traced lines leave the true ones by up to
        // half a sample.
        const double tolerance = lines == Lines::Traced ? 1.25 : 1.5;
        EXPECT_LT(std::abs(std::remainder(found - angle, 180)), tolerance) << angle << " found " << found;
      }
    }
  }
}

TEST(Orientation, the_dominant_angle_is_refined_by_a_parabola) {
  const AngleRange whole{0, 180, 6};
  const auto dominant = [](std::vector<double> removed, const AngleRange& range) {
    return dominant_angle({1, std::move(removed), {}}, range);
  };
  EXPECT_EQ(dominant({9, 4, 1, 4, 9, 9}, whole), 60);
  // (30, 3), (60, 1), (90, 5): the vertex lies (2 - 4) / (2 (2 + 4)) of a step away.
  EXPECT_DOUBLE_EQ(*dominant({9, 3, 1, 5, 9, 9}, whole), 60 - 30.0 / 6);
  // A run of two: its middle, and neighbours one and a half steps away.
  EXPECT_EQ(dominant({9, 4, 1, 1, 4, 9}, whole), 75);
  EXPECT_DOUBLE_EQ(*dominant({9, 3, 1, 1, 5, 9}, whole), 75 - 45.0 / 6);
  // All directions go round: the run is that of 150 and 0 degrees.
  EXPECT_EQ(dominant({1, 4, 9, 9, 4, 1}, whole), 165);
  EXPECT_EQ(dominant({1, 4, 9, 9, 9, 4}, whole), 0);
  EXPECT_DOUBLE_EQ(*dominant({1, 5, 9, 9, 9, 3}, whole), 180 - 30.0 / 6);
  // A part of them does not.
  EXPECT_EQ(dominant({1, 4, 9}, {-10, 20, 3}), 170);
  EXPECT_EQ(dominant({4, 1, 9}, {-10, 20, 3}), std::optional<double>(0 - 10 * 0.5 * (8 - 3) / 11.0 + 180));
  EXPECT_EQ(dominant({2, 2, 2}, {0, 30, 3}), std::nullopt);
  EXPECT_EQ(dominant({2}, {20, 30, 1}), 20);
}

std::string refusal(const Image& image, const OrientationOptions& options) {
  try {
    static_cast<void>(orientation(on_cpu(), image, options));
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Orientation, what_cannot_be_done_is_refused) {
  const Image image(Type::U8, {1, 5, 6, 2});
  const auto with = [&](const std::function<void(OrientationOptions&)>& change) {
    OrientationOptions options;
    change(options);
    return refusal(image, options);
  };
  EXPECT_EQ(refusal({}, {}), "orientation of a missing image; wanted one");
  EXPECT_EQ(refusal(Image(Type::F64, {1, 5, 6, 2}), {}),
            "orientation of a f64 image; wanted bool, u8, u16, i16 or f32: convert it first");
  EXPECT_EQ(with([](auto& o) { o.lengths = {}; }), "orientation: no length of a segment; wanted at least one");
  EXPECT_EQ(with([](auto& o) { o.lengths = {0}; }), "orientation: length 0; wanted 1 or more");
  EXPECT_EQ(with([](auto& o) { o.lengths = {std::nan("")}; }), "orientation: length nan; wanted 1 or more");
  EXPECT_EQ(with([](auto& o) { o.lengths = {5, 7, 5}; }), "orientation: length 5 more than once; wanted each once");
  EXPECT_NE(with([](auto& o) { o.lengths = {1e9}; }).find("line"), std::string::npos);
  EXPECT_EQ(with([](auto& o) { o.angles.count = 0; }), "orientation: 0 angles; wanted 1 to 32767");
  const char* const span = " degrees; wanted a first one below the last, at most 180 apart";
  EXPECT_EQ(with([](auto& o) { o.angles = {30, 30, 5}; }), std::string("orientation: angles from 30 to 30") + span);
  EXPECT_EQ(with([](auto& o) { o.angles = {0, 181, 5}; }), std::string("orientation: angles from 0 to 181") + span);
  EXPECT_EQ(with([](auto& o) {
              o.angles = {std::nan(""), 9, 5};
            }),
            std::string("orientation: angles from nan to 9") + span);
  EXPECT_EQ(with([](auto& o) { o.border = Border::reflect(); }),
            "orientation: border reflect; wanted neutral, or fit along traced lines");
  EXPECT_EQ(with([](auto& o) { o.border = Border::fit(); }),
            "orientation: border fit of invariant lines; wanted neutral, or lines traced");
  EXPECT_EQ(with([](auto& o) {
              o.lines = Lines::Traced;
              o.lengths = {4.5};
            }),
            "orientation along traced lines: length 4.5; wanted a whole number of samples");
  Image floats(Type::F32, {2, 5, 6, 3});
  OrientationOptions fit;
  fit.lines = Lines::Traced;
  fit.border = Border::fit();
  EXPECT_NE(refusal(floats, fit).find("border fit of an f32 image"), std::string::npos);
  floats.row<float>(1, 3)[2] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(refusal(floats, {}),
            "orientation: the image holds NaN or infinity at x 2, y 3, z 1; wanted finite numbers");
}

TEST(Orientation, keeps_to_the_memory_limit) {
  Context context = on_cpu();
  const Image image(Type::U8, {1, 1024, 1024, 2});
  context.memory_bytes = 17 << 20;  // the maps, and a worker with maps of its own
  EXPECT_NO_THROW(static_cast<void>(orientation(context, image, few(1, {5}))));
  context.memory_bytes -= 1;
  EXPECT_THROW(static_cast<void>(orientation(context, image, few(1, {5}))), ResourceError);
  EXPECT_NO_THROW(static_cast<void>(angular_spectra(context, image, few(1, {5}))));  // has no maps
}

}  // namespace
}  // namespace tamis
