// What the tests of traced lines share: the definition's answer for an image, and the comparison with it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tamis/morphology.hpp>

#include <gtest/gtest.h>

#include "core/test/scale.hpp"
#include "line/test/reference.hpp"
#include "line/traced/cpu/run.hpp"
#include "morphology/test/testing.hpp"

namespace tamis::line_testing {

using line_detail::Along;
using line_detail::TracedSegment;
using morphology_testing::first_difference;
using morphology_testing::Grid;
using morphology_testing::grid_of;

inline TracedSegment segment_of(std::int64_t length, double angle, bool fit) {
  return {length, length / 2, angle, fit};
}

/// Slice by slice.
inline Grid wanted(const Grid& grid, Along what, const TracedSegment& segment) {
  Grid out = grid;
  const auto slice = static_cast<std::ptrdiff_t>(grid.shape.y * grid.shape.x);
  for (std::ptrdiff_t z = 0; z < grid.shape.z; ++z) {
    const auto from = grid.values.begin() + z * slice;
    const std::vector<double> result = line_reference::along({from, from + slice}, {1, grid.shape.y, grid.shape.x, 2},
                                                             what, segment, grid.lowest, grid.highest);
    std::copy(result.begin(), result.end(), out.values.begin() + z * slice);
  }
  return out;
}

inline Image run(const Context& context, Along what, const TracedSegment& segment, const Image& image) {
  Stage stage(context, "traced");
  Image out(image.type(), image.shape());
  line_detail::cpu::traced(context, what, segment, image, out, stage);
  return out;
}

inline void expect_definition(const Context& context, Along what, const TracedSegment& segment, const Image& image) {
  const Grid grid = grid_of(image);
  const Grid expected = wanted(grid, what, segment);
  const Grid got = grid_of(run(context, what, segment, image));
  const std::int64_t at = first_difference(got, expected);
  ASSERT_EQ(at, -1) << "what " << static_cast<int>(what) << " length " << segment.length << " origin " << segment.origin
                    << " angle " << segment.angle << " fit " << segment.fit << " of " << to_string(image.shape()) << " "
                    << name(image.type()) << " on " << context.describe() << " at x " << at % image.shape().x << " y "
                    << at / image.shape().x << ": got " << got.values[static_cast<std::size_t>(at)] << ", wanted "
                    << expected.values[static_cast<std::size_t>(at)];
}

/// 100 x + y, as far as the type goes: every sample different along every line.
inline Image ramp(Type type, const Shape& shape) {
  Image image(type, shape);
  for (std::int64_t y = 0; y < shape.y; ++y) {
    for (std::int64_t x = 0; x < shape.x; ++x) {
      morphology_testing::set(image, 0, y, x, static_cast<double>((3 * x + 2 * y) % 256));
    }
  }
  return image;
}

/// An opening along traced lines, the library's or a paper's.
struct TracedOpening {
  std::string who;
  std::function<Image(const Image& image, std::int64_t length, double angle, const Border& border)> open;

  void expect_definition(const Image& image, std::int64_t length, double angle, bool fit) const {
    const Grid expected = wanted(grid_of(image), Along::Open, segment_of(length, angle, fit));
    const Grid got = grid_of(open(image, length, angle, fit ? Border::fit() : Border::neutral()));
    ASSERT_EQ(first_difference(got, expected), -1)
        << who << " length " << length << " angle " << angle << " fit " << fit << " of " << to_string(image.shape())
        << " " << name(image.type());
  }

  void expect_all_lengths_and_angles() const {
    const Image noise = morphology_testing::random_image(Type::U8, {1, 15, 19, 2}, 1);
    const int step = small_scale() ? 7 : 1;
    for (int half_degrees = 0; half_degrees < 360; half_degrees += step) {
      for (std::int64_t length = 1; length <= 64; length += 1 + (half_degrees + length) % 5) {
        const bool fit = (half_degrees + length) % 2 == 0;
        ASSERT_NO_FATAL_FAILURE(expect_definition(noise, length, half_degrees / 2.0, fit));
      }
    }
  }

  void expect_every_type_and_shape() const {
    for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
      for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{1, 1, 90, 2}, Shape{1, 70, 1, 2}, Shape{2, 20, 31, 3}}) {
        const Image noise = morphology_testing::random_image(type, shape, 2);
        for (const std::int64_t length : {1, 2, 3, 8, 19, 40, 200}) {
          for (const double angle : {0.0, 20.0, 45.0, 90.0, 100.25, 160.0}) {
            for (const bool fit : {false, true}) {
              ASSERT_NO_FATAL_FAILURE(expect_definition(noise, length, angle, fit));
            }
          }
        }
      }
    }
  }

  void expect_plateaus_and_ramps() const {
    for (const std::uint8_t levels : {2, 3, 5}) {
      Image image = morphology_testing::random_image(Type::U8, {1, 30, 47, 2}, levels);
      for (std::int64_t i = 0; i < image.shape().count(); ++i) {
        std::uint8_t& value = image.row<std::uint8_t>(0, 0)[i];
        value = static_cast<std::uint8_t>(value % levels);
      }
      for (const std::int64_t length : {2, 3, 5, 9, 16}) {
        ASSERT_NO_FATAL_FAILURE(expect_definition(image, length, 30, length % 2 == 0));
        ASSERT_NO_FATAL_FAILURE(expect_definition(ramp(Type::U8, {1, 30, 47, 2}), length, 110, false));
      }
    }
  }
};

}  // namespace tamis::line_testing
