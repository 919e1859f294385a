#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/median.hpp>

#include "core/test/gpu_test.hpp"
#include "median/test/testing.hpp"

namespace tamis {
namespace {

using namespace median_testing;

const std::vector<Border> borders = {Border::reflect(),   Border::nearest(), Border::shrink(),
                                     Border::constant(1), Border::mirror(),  Border::wrap()};

class GpuMedianTest : public GpuTest {
 protected:
  static void expect_cpu(const Image& image, const MedianOptions& options) {
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

TEST_F(GpuMedianTest, every_rank_of_small_squares_and_of_cubes) {
  for (const Type type : filter_types) {
    const Image image = random_image(type, {1, 37, 70, 2}, 9);
    for (std::int64_t edge = 2; edge <= 8; ++edge) {
      const std::int64_t count = edge * edge;
      for (std::int64_t rank = 0; rank < count; rank += small_scale() ? 5 : 1) {
        const double percentile = (static_cast<double>(rank) + 0.5) * 100 / static_cast<double>(count);
        const Border& border = borders[static_cast<std::size_t>(rank) % borders.size()];
        expect_cpu(image, {StructuringElement::square(edge), percentile, 1, border, NanPolicy::Refuse});
      }
    }
    const Image volume = random_image(type, {5, 13, 41, 3}, 10);
    for (const double percentile : {0.0, 10.0, 45.0, 55.0, 90.0, 100.0}) {
      for (const Border& border : borders) expect_cpu(volume, {"cube:3", percentile, 1, border, NanPolicy::Refuse});
    }
  }
}

TEST_F(GpuMedianTest, images_of_every_width) {
  for (const Type type : filter_types) {
    for (std::int64_t width = 1; width <= 70; width += small_scale() ? 9 : 1) {
      const Image image = random_image(type, {1, 11, width, 2}, 3);
      for (const char* window : {"square:3", "square:5", "square:9", "disk:4", "rect:15x1"}) {
        for (const Border& border : borders) expect_cpu(image, {window, 50, 1, border, NanPolicy::Refuse});
      }
    }
    // The last one is not small: warps at its edges are full.
    for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{1, 1, 997, 2}, Shape{1, 997, 1, 2}, Shape{1, 523, 541, 2},
                               Shape{1, 1103, 2087, 2}}) {
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

TEST_F(GpuMedianTest, large_windows_over_many_tiles) {
  for (const Type type : {Type::U8, Type::I16, Type::U16, Type::F32}) {
    const Image image = random_image(type, {2, 301, 707, 2}, 9);
    for (const char* window : {"square:131", "rect:141x120", "disk:75", "circle:80", "shift(disk:70,-100,60)"}) {
      for (const Border& border : {Border::reflect(), Border::shrink()}) {
        for (const double percentile : {0.0, 50.0, 97.0, 100.0}) {
          if (small_scale() && percentile != 50) continue;
          expect_cpu(image, {window, percentile, 1, border, NanPolicy::Refuse});
        }
      }
    }
    const Image volume = random_image(type, {31, 45, 77, 3}, 10);
    for (const char* window : {"cube:27", "box:70x9x31", "ball:16"}) {
      for (const Border& border : borders) expect_cpu(volume, {window, 50, 1, border, NanPolicy::Refuse});
    }
  }
}

TEST_F(GpuMedianTest, large_windows_in_more_tiles_than_are_sorted_at_once) {
  const std::int64_t edge = small_scale() ? 600 : 6000;
  for (const Type type : {Type::U16, Type::F32}) {
    expect_cpu(random_image(type, {1, edge, edge + 11, 2}, 11),
               {"square:121", 50, 1, Border::reflect(), NanPolicy::Refuse});
  }
}

TEST_F(GpuMedianTest, ignored_nan_is_left_out) {
  for (const double share : {0.01, 0.3, 0.95, 1.0}) {
    const Image image = random_image(Type::F32, {1, 37, 53, 2}, 7, share);
    for (const char* window : {"square:3", "square:9", "disk:5", "square:131", "disk:80", "shift(square:121,150,0)"}) {
      for (const Border& border : borders) expect_cpu(image, {window, 50, 1, border, NanPolicy::Ignore});
    }
  }
}

TEST_F(GpuMedianTest, refused_nan_is_named_as_on_the_cpu_and_nothing_is_written) {
  const Shape shape{1, 37, 53, 2};
  Image image = random_image(Type::F32, shape, 7);
  morphology_testing::set(image, 0, 36, 21, std::nan(""));
  for (const char* window :
       {"square:1", "square:3", "square:4", "rect:1x5", "disk:5", "square:131", "disk:80", "shift(square:121,150,0)"}) {
    const MedianOptions options{.window = window};
    const auto refusal = [&](const Context& context, Image& out) -> std::string {
      try {
        median(context, image, options, out);
      } catch (const InputError& error) {
        return error.what();
      }
      return {};
    };
    Image of_cpu, out = random_image(Type::F32, shape, 8);
    const std::string wanted = refusal(Context{}, of_cpu);
    EXPECT_NE(wanted.find("x 21, y 36"), std::string::npos);
    EXPECT_EQ(wanted, refusal(on_gpu(), out)) << window;
    EXPECT_EQ(-1, first_difference(out, grid_of(random_image(Type::F32, shape, 8)))) << window;
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
      for (const char* window : {"square:3", "square:7", "square:8", "square:15", "square:31", "disk:3"}) {
        for (const double percentile : {20.0, 50.0}) {
          expect_cpu(image, {window, percentile, 1, Border::reflect(), NanPolicy::Refuse});
        }
      }
    }
  }
}

}  // namespace
}  // namespace tamis
