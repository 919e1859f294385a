#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <tamis/deskew.hpp>

#include "line/deskew/ink.hpp"
#include "line/deskew/scores.hpp"
#include "line/test/deskew_testing.hpp"

namespace tamis {
namespace {

using deskew_testing::noise;
using namespace line_detail;

/// Straight from the definition: every sample goes to a sixteenth of a row, then three sums of 32, and differences.
double naive_energy(const Image& ink, double angle) {
  const std::int64_t width = ink.shape().x;
  const std::int64_t height = ink.shape().y;
  const auto fade = [](std::int64_t i, std::int64_t n) {
    const double wide = std::max(1.0, std::round(0.05 * static_cast<double>(n)));
    const double edge = static_cast<double>(std::min(i, n - 1 - i)) + 0.5;
    return edge < wide ? 0.5 - 0.5 * std::cos(std::numbers::pi * edge / wide) : 1.0;
  };
  double mean = 0;
  for (std::int64_t i = 0; i < width * height; ++i) mean += ink.row<std::uint8_t>(0, 0)[i];
  mean /= static_cast<double>(width * height);
  std::vector<double> rows(static_cast<std::size_t>(16 * (3 * height + 2 * width) + 200), 0.0);
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const double value = std::round((ink.row<std::uint8_t>(0, y)[x] - mean) * 8 * fade(x, width) * fade(y, height));
      const double move = std::tan(angle * std::numbers::pi / 180) * (static_cast<double>(x) - (width - 1) / 2.0) * 16;
      const std::int64_t at = 16 * (y + height + width) + static_cast<std::int64_t>(std::floor(move + 0.5));
      rows[static_cast<std::size_t>(at)] += value;
    }
  }
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t i = rows.size(); i-- > 0;) {
      for (std::size_t k = 1; k < 32 && k <= i; ++k) rows[i] += rows[i - k];
    }
  }
  double energy = 0;
  for (std::size_t i = 16; i < rows.size(); ++i) energy += (rows[i] - rows[i - 16]) * (rows[i] - rows[i - 16]);
  return energy;
}

TEST(Projection, energies_are_those_of_the_definition) {
  for (const auto& [width, height] : {std::pair{37, 53}, {64, 20}, {1, 9}, {9, 1}, {2, 2}}) {
    const Image ink = noise(width, height);
    const std::vector<double> angles{-45, -12.3, -0.2, 0, 0.01, 3.7, 30, 45};
    const std::vector<double> energies = Projection(ink, Reading::Across).energies({}, angles);
    for (std::size_t i = 0; i < angles.size(); ++i) {
      const double expected = naive_energy(ink, angles[i]);
      EXPECT_NEAR(energies[i], expected, 1e-9 * expected) << width << "x" << height << " at " << angles[i];
    }
  }
}

TEST(Projection, along_is_across_of_the_page_turned_by_a_right_angle) {
  const Image ink = noise(60, 41);
  const Image turned = rotate({}, ink, 90, {0, Shape{1, 60, 41, 2}});
  const std::vector<double> angles{-9.5, 0, 2.25, 14};
  const std::vector<double> along = Projection(turned, Reading::Along).energies({}, angles);
  const std::vector<double> across = Projection(ink, Reading::Across).energies({}, angles);
  for (std::size_t i = 0; i < angles.size(); ++i) EXPECT_NEAR(along[i] / across[i], 1, 0.01) << angles[i];
}

TEST(DeskewSearch, a_climb_ends_at_the_top_of_a_parabola) {
  const Scores scores = [](const std::vector<double>& angles) {
    std::vector<double> values;
    for (const double angle : angles) values.push_back(10 - (angle - 3.2123) * (angle - 3.2123));
    return values;
  };
  EXPECT_NEAR(climb(scores, 3.4, 0.1, 0.01, 15).angle, 3.2123, 1e-9);
  EXPECT_NEAR(climb(scores, -1, 0.25, 0.01, 15).angle, 3.2123, 1e-9);  // from far away
  EXPECT_FALSE(climb(scores, 1, 0.1, 0.01, 2).inside);
}

TEST(DeskewSearch, the_centre_of_a_peak_ignores_its_foot_and_its_ragged_top) {
  const std::vector<double> angles = angle_grid(2, 0.25);
  std::vector<double> scores;
  for (const double angle : angles) scores.push_back(1 + 10 * std::max(0.0, 1 - std::abs(angle - 0.5)));
  scores[index_of_largest(scores) - 1] += 2.6;
  const std::size_t top = index_of_largest(scores);
  EXPECT_NEAR(centre_of_peak(angles, scores, top, 1), 0.5, 0.1);
  const Range range = range_of_peak(angles, scores, top, 1);
  EXPECT_LT(range.low, 0);
  EXPECT_GT(range.high, 1);
}

TEST(DeskewInk, uneven_light_and_a_black_frame_leave_no_ink) {
  Image page(Type::U8, {1, 400, 600, 2});
  for (std::int64_t y = 0; y < 400; ++y) {
    for (std::int64_t x = 0; x < 600; ++x) {
      const bool frame = x < 40 || y > 360;
      page.row<std::uint8_t>(0, y)[x] = frame ? 5 : static_cast<std::uint8_t>(120 + x / 5);
    }
  }
  for (std::int64_t x = 200; x < 400; ++x) page.row<std::uint8_t>(0, 200)[x] = 20;
  const Ink ink = find_ink({}, page, 2048);
  EXPECT_FALSE(ink.dark_page);
  std::int64_t inked = 0;
  for (std::int64_t i = 0; i < page.shape().count(); ++i) inked += ink.grey.row<std::uint8_t>(0, 0)[i] > 0;
  EXPECT_EQ(inked, 200);
}

}  // namespace
}  // namespace tamis
