// What the tests of this family share: the definition's answer, and windows of every kind.
#pragma once

#include <string>
#include <vector>

#include <tamis/median.hpp>

#include "median/test/reference.hpp"
#include "morphology/test/testing.hpp"

namespace tamis::median_testing {

using morphology_testing::filter_types;
using morphology_testing::random_image;
using morphology_testing::range_of;

inline median_reference::Grid grid_of(const Image& image) {
  const auto grid = morphology_testing::grid_of(image);
  return {grid.shape, grid.values};
}

inline median_reference::Grid reference(const Image& image, const MedianOptions& options) {
  median_reference::Grid grid = grid_of(image);
  const std::vector<Offset> offsets = options.window.offsets(image.shape().rank);
  for (std::int64_t i = 0; i < options.iterations; ++i) {
    grid = median_reference::step(grid, offsets, options.percentile, options.border);
  }
  return grid;
}

inline std::string to_text(const MedianOptions& options) {
  return options.window.spec() + " percentile " + std::to_string(options.percentile) + " border " +
         to_string(options.border) + " iterations " + std::to_string(options.iterations);
}

/// Index of the first sample that differs, bit for bit but for which NaN it is; -1 if none does.
inline std::int64_t first_difference(const Image& image, const median_reference::Grid& wanted) {
  morphology_reference::Grid other;
  other.shape = wanted.shape;
  other.values = wanted.values;
  return morphology_testing::first_difference(morphology_testing::grid_of(image), other);
}

}  // namespace tamis::median_testing
