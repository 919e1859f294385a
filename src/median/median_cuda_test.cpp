#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/median.hpp>

#include "core/gpu_testing.hpp"
#include "median/median_testing.hpp"

namespace tamis {
namespace {

using namespace median_testing;

const std::vector<Border> borders = {Border::reflect(), Border::nearest(), Border::shrink(), Border::constant(1)};

class GpuMedianTest : public GpuTest {
 protected:
  void expect_cpu(const Image& image, const MedianOptions& options) {
    const Image wanted = median(Context{}, image, options);
    const Image result = median(on_gpu(), image, options);
    EXPECT_EQ(-1, first_difference(result, grid_of(wanted)))
        << name(image.type()) << " " << to_string(image.shape()) << " " << to_text(options);
  }
};

TEST_F(GpuMedianTest, squares_and_rectangles_of_every_size) {
  for (const Type type : filter_types) {
    const Image image = random_image(type, {1, 45, 83, 2}, 1);
    for (std::int64_t edge = 1; edge <= 33; ++edge) {
      for (const Border& border : borders) {
        expect_cpu(image, {StructuringElement::square(edge), 50, 1, border, NanPolicy::Refuse});
        expect_cpu(image, {StructuringElement::rect(edge, 1), 50, 1, border, NanPolicy::Refuse});
        expect_cpu(image, {StructuringElement::rect(1, edge), 50, 1, border, NanPolicy::Refuse});
        if (small_scale()) continue;
        expect_cpu(image, {StructuringElement::rect(edge, 3), 50, 1, border, NanPolicy::Refuse});
        expect_cpu(image, {StructuringElement::rect(2, edge), 50, 1, border, NanPolicy::Refuse});
      }
    }
  }
}

TEST_F(GpuMedianTest, any_mask_and_rank_is_as_on_the_cpu) {
  for (const Type type : filter_types) {
    const Image image = random_image(type, {1, 37, 70, 2}, 2);
    for (const char* window : {"disk:3", "disk:7", "circle:4", "cross:2", "line:9@30", "shift(square:3,4,-2)",
                               "shift(square:1,50,0)", "shift(disk:2,-40,60)"}) {
      for (const Border& border : borders) {
        for (const double percentile : {0.0, 30.0, 50.0, 100.0}) {
          expect_cpu(image, {window, percentile, 1, border, NanPolicy::Refuse});
        }
      }
    }
  }
}

TEST_F(GpuMedianTest, images_of_every_width) {
  for (const Type type : filter_types) {
    for (std::int64_t width = 1; width <= 70; width += small_scale() ? 9 : 1) {
      const Image image = random_image(type, {1, 11, width, 2}, 3);
      for (const char* window : {"square:3", "square:5", "square:9", "disk:4"}) {
        expect_cpu(image, {window, 50, 1, Border::reflect(), NanPolicy::Refuse});
      }
    }
    for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{1, 1, 997, 2}, Shape{1, 997, 1, 2}, Shape{1, 523, 541, 2}}) {
      const Image image = random_image(type, shape, 4);
      for (const char* window : {"square:3", "square:7", "square:12"}) {
        for (const Border& border : borders) expect_cpu(image, {window, 50, 1, border, NanPolicy::Refuse});
      }
    }
  }
}

TEST_F(GpuMedianTest, volumes_in_two_and_three_dimensions) {
  for (const Type type : filter_types) {
    const Image image = random_image(type, {9, 21, 43, 3}, 5);
    for (const char* window : {"square:5", "cube:3", "cube:5", "cube:7", "box:2x3x4", "ball:3", "box:1x1x5"}) {
      for (const Border& border : borders) expect_cpu(image, {window, 50, 1, border, NanPolicy::Refuse});
    }
  }
}

TEST_F(GpuMedianTest, windows_larger_than_the_image_or_than_shared_memory) {
  for (const Type type : filter_types) {
    const Image image = random_image(type, {1, 19, 33, 2}, 6);
    for (const char* window : {"square:61", "square:131", "rect:301x1", "rect:1x301"}) {
      for (const Border& border : borders) expect_cpu(image, {window, 50, 1, border, NanPolicy::Refuse});
    }
  }
  const Image image = random_image(Type::U8, {1, 40, 40, 2}, 6);
  expect_cpu(image, {"square:257", 50, 1, Border::reflect(), NanPolicy::Refuse});
}

TEST_F(GpuMedianTest, ignored_nan_is_left_out) {
  for (const double share : {0.01, 0.3, 0.95, 1.0}) {
    const Image image = random_image(Type::F32, {1, 37, 53, 2}, 7, share);
    for (const char* window : {"square:3", "square:9", "disk:5", "square:131"}) {
      for (const Border& border : borders) expect_cpu(image, {window, 50, 1, border, NanPolicy::Ignore});
    }
  }
}

TEST_F(GpuMedianTest, adversarial_samples) {
  for (const Type type : filter_types) {
    const Shape shape{1, 64, 96, 2};
    for (int kind = 0; kind < 4; ++kind) {
      Image image(type, shape);
      for (std::int64_t y = 0; y < shape.y; ++y) {
        for (std::int64_t x = 0; x < shape.x; ++x) {
          const auto [lowest, highest] = range_of(type);
          const double values[] = {highest, (x + y) % 2 == 0 ? lowest : highest, static_cast<double>(x + y) / 2,
                                   static_cast<double>(shape.y * shape.x - y * shape.x - x)};
          const double value = type == Type::U8 || type == Type::Bool
                                   ? static_cast<double>(static_cast<std::int64_t>(values[kind]) & 255)
                                   : values[kind];
          morphology_testing::set(image, 0, y, x, value);
        }
      }
      for (const char* window : {"square:3", "square:7", "square:15", "square:31"}) {
        expect_cpu(image, {window, 50, 1, Border::reflect(), NanPolicy::Refuse});
      }
    }
  }
}

TEST_F(GpuMedianTest, iterations_and_smoothers) {
  for (const Type type : filter_types) {
    const Image image = random_image(type, {5, 41, 67, 3}, 8);
    for (const std::int64_t iterations : {2, 3}) {
      expect_cpu(image, {"square:3", 50, iterations, Border::reflect(), NanPolicy::Refuse});
    }
    SmoothOptions options;
    options.width = 9;
    options.height = 21;
    options.depth = 3;
    EXPECT_EQ(-1, first_difference(smooth(on_gpu(), image, options), grid_of(smooth(Context{}, image, options))));
  }
}

}  // namespace
}  // namespace tamis
