// The mean of directions of lines.
#include <tamis/orientation.hpp>

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace tamis {
namespace {

std::optional<AxialMean> mean_of(std::initializer_list<int> degrees) {
  std::vector<double> histogram(180);
  for (const int at : degrees) histogram[static_cast<std::size_t>(at)] += 2.5;
  return axial_mean(histogram, {});
}

TEST(AxialMean, of_directions_around_0_is_0_and_not_90) {
  const std::optional<AxialMean> mean = mean_of({170, 10});
  EXPECT_NEAR(std::remainder(mean->angle, 180), 0, 1e-9);
  EXPECT_NEAR(mean->resultant, std::cos(20 * std::numbers::pi / 180), 1e-12);
}

TEST(AxialMean, of_one_direction_is_that_one) {
  for (const int degrees : {0, 1, 89, 90, 91, 179}) {
    EXPECT_NEAR(mean_of({degrees})->angle, degrees, 1e-9);
    EXPECT_NEAR(mean_of({degrees})->resultant, 1, 1e-12);
  }
}

TEST(AxialMean, is_not_there_where_directions_balance) {
  EXPECT_FALSE(mean_of({}));
  EXPECT_FALSE(mean_of({20, 110}));
  EXPECT_FALSE(mean_of({0, 60, 120}));
}

TEST(AxialMean, goes_by_the_angles_of_the_range) {
  EXPECT_NEAR(axial_mean({1, 0, 1}, {-30, 30, 3})->angle, 170, 1e-9);  // -30 and 10
}

}  // namespace
}  // namespace tamis
