// How a window falls apart for the GPU, without a GPU.
#include "morphology/plan/box_parts.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace tamis::morphology_detail {
namespace {

struct Reached {
  std::int64_t low_x = 0, high_x = 0;
  std::set<std::int64_t> rows = {0};
};

/// Where a sample's value comes from, part after part.
Reached reached_by(const std::vector<BoxPart>& parts) {
  Reached all;
  for (const BoxPart& part : parts) {
    all.low_x += part.window.low_x;
    all.high_x += part.window.high_x;
    std::set<std::int64_t> rows;
    for (const std::int64_t row : all.rows)
      for (std::int64_t y = part.window.low_y; y <= part.window.high_y; y += part.stride) rows.insert(row + y);
    all.rows = rows;
  }
  return all;
}

bool one_walk_takes(const BoxPart& part, std::int64_t sample) {
  const std::int64_t rows = (part.window.height() - 1) / part.stride + 1;
  const std::int64_t bytes = part.window.width() * sample;
  return rows <= BoxLimits::tallest && bytes <= (rows > 1 ? BoxLimits::widest_bytes : BoxLimits::widest_alone_bytes);
}

TEST(BoxParts, reach_every_sample_of_the_window_and_no_other) {
  const BoxWindow in_x[] = {{0, 0},      {-1, 1},     {3, 3},      {0, 199},   {-50, 0},      {-100, 100},
                            {-767, 768}, {-768, 768}, {-512, 512}, {-40, 984}, {-3000, 5000}, {-20000, 1}};
  const std::int64_t in_y[][2] = {{0, 0},    {1, 1},  {-9, -9},  {5, 5},    {-1, 1},   {-2, 2},
                                  {-24, 23}, {3, 50}, {-24, 24}, {-60, 40}, {0, 1024}, {-200, -100}};
  for (const std::int64_t sample : {1, 2, 4}) {
    for (const auto& x : in_x) {
      for (const auto& y : in_y) {
        const BoxWindow window{x.low_x, x.high_x, y[0], y[1]};
        SCOPED_TRACE("x " + std::to_string(window.low_x) + " to " + std::to_string(window.high_x) + ", y " +
                     std::to_string(window.low_y) + " to " + std::to_string(window.high_y) + ", samples of " +
                     std::to_string(sample) + " bytes");
        const std::vector<BoxPart> parts = parts_of(window, 5, sample);
        const Reached reached = reached_by(parts);
        EXPECT_EQ(reached.low_x, window.low_x);
        EXPECT_EQ(reached.high_x, window.high_x);
        EXPECT_EQ(*reached.rows.begin(), window.low_y);
        EXPECT_EQ(*reached.rows.rbegin(), window.high_y);
        EXPECT_EQ(static_cast<std::int64_t>(reached.rows.size()), window.height());
        for (const BoxPart& part : parts) EXPECT_TRUE(one_walk_takes(part, sample));
      }
    }
  }
}

}  // namespace
}  // namespace tamis::morphology_detail
