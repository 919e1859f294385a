// Outliers against the definition: a sample, or the median of its window where they are too far apart.
#include <tamis/median.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <tamis/error.hpp>

#include "median/test/testing.hpp"

namespace tamis {
namespace {

using namespace median_testing;
using Which = OutlierOptions::Which;

bool is_outlier(double sample, double median, const OutlierOptions& options) {
  const bool bright = sample - median > options.threshold && options.which != Which::Dark;
  const bool dark = median - sample > options.threshold && options.which != Which::Bright;
  return bright || dark;
}

median_reference::Grid outliers_reference(const Image& image, const OutlierOptions& options) {
  median_reference::Grid grid = grid_of(image);
  const median_reference::Grid medians = reference(image, {options.window, 50, 1, options.border, options.nan});
  for (std::size_t i = 0; i < grid.values.size(); ++i) {
    if (is_outlier(grid.values[i], medians.values[i], options)) grid.values[i] = medians.values[i];
  }
  return grid;
}

void expect_the_definition(const Image& image, const OutlierOptions& options) {
  for (const int threads : {1, 3}) {
    Context context;
    context.device = Device::Cpu;
    context.threads = threads;
    EXPECT_EQ(first_difference(remove_outliers(context, image, options), outliers_reference(image, options)), -1)
        << name(image.type()) << ' ' << options.window.spec() << " threshold " << options.threshold << " which "
        << static_cast<int>(options.which) << " border " << to_string(options.border);
  }
}

TEST(Outliers, every_type_window_threshold_and_side_by_the_definition) {
  unsigned number = 0;
  for (const Type type : filter_types) {
    for (const double threshold : {0.0, 0.5, 1.0, 7.25, 50.0, 1e6}) {
      for (const Which which : {Which::Bright, Which::Dark, Which::Both}) {
        ++number;
        const Border border = number % 2 == 0 ? Border::reflect() : Border::shrink();
        expect_the_definition(random_image(type, {1, 17, 131, 2}, number), {"disk:2", threshold, which, border});
        expect_the_definition(random_image(type, {4, 7, 33, 3}, number), {"cube:3", threshold, which, border});
      }
    }
  }
}

/// The largest difference that there is needs a bit more than the type has.
TEST(Outliers, differences_do_not_wrap_around) {
  Image image(Type::I16, {1, 3, 3, 2});
  for (std::int64_t y = 0; y < 3; ++y) std::fill_n(image.row<std::int16_t>(0, y), 3, std::int16_t{32767});
  image.row<std::int16_t>(0, 1)[1] = -32768;
  EXPECT_EQ(remove_outliers(Context(), image, {"square:3", 65534, Which::Dark}).row<std::int16_t>(0, 1)[1], 32767);
  EXPECT_EQ(remove_outliers(Context(), image, {"square:3", 65535, Which::Dark}).row<std::int16_t>(0, 1)[1], -32768);
  EXPECT_EQ(remove_outliers(Context(), image, {"square:3", 0, Which::Bright}).row<std::int16_t>(0, 1)[1], -32768);
}

TEST(Outliers, infinities_are_far_and_nan_is_left_alone) {
  Image image(Type::F32, {1, 1, 5, 2});
  const float samples[] = {1, std::numeric_limits<float>::infinity(), 2, std::numeric_limits<float>::quiet_NaN(), 3};
  std::copy_n(samples, 5, image.row<float>(0, 0));
  EXPECT_THROW(static_cast<void>(remove_outliers(Context(), image)), InputError);
  const Image found =
      remove_outliers(Context(), image, {"rect:3x1", 50, Which::Both, Border::shrink(), NanPolicy::Ignore});
  EXPECT_EQ(found.row<float>(0, 0)[1], 2);
  EXPECT_TRUE(std::isnan(found.row<float>(0, 0)[3]));
}

TEST(Outliers, a_threshold_that_is_none_is_refused) {
  const Image image(Type::U8, {1, 3, 3, 2});
  for (const double threshold : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(static_cast<void>(remove_outliers(Context(), image, {"square:3", threshold})), InputError);
  }
}

}  // namespace
}  // namespace tamis
