// What the tests of traced lines share: the definition's answer for an image, and the comparison with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tamis/morphology.hpp>

#include <gtest/gtest.h>

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

}  // namespace tamis::line_testing
