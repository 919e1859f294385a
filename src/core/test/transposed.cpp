// Narrow images, which are filtered with x and y exchanged.
#include "core/cpu/transposed.hpp"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/median.hpp>
#include <tamis/morphology.hpp>

#include "core/test/view_buffer.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using morphology_testing::random_image;
using view_testing::samples_of;

TEST(Transposed, images_have_x_and_y_exchanged) {
  unsigned seed = 0;
  for (const Type type : {Type::Bool, Type::U8, Type::U16, Type::F32}) {
    for (const Shape& shape : {Shape{1, 5000, 8, 2}, Shape{1, 9000, 1, 2}, Shape{1, 4099, 13, 2}, Shape{3, 70, 9, 3},
                               Shape{1, 5, 5000, 2}, Shape{2, 8, 16, 3}, Shape{1, 200, 130, 2}}) {
      const Image image = random_image(type, shape, ++seed);
      Image turned(type, transposed(shape)), back(type, shape);
      transpose({}, image, turned);
      const auto bytes = static_cast<std::size_t>(sample_bytes(type));
      for (std::int64_t z = 0; z < shape.z; ++z) {
        for (std::int64_t y = 0; y < shape.y; ++y) {
          for (std::int64_t x = 0; x < shape.x; ++x) {
            if (type == Type::Bool) {
              ASSERT_EQ(image.bit(z, y, x), turned.bit(z, x, y));
              continue;
            }
            ASSERT_EQ(std::memcmp(image.row<std::byte>(z, y) + static_cast<std::size_t>(x) * bytes,
                                  turned.row<std::byte>(z, x) + static_cast<std::size_t>(y) * bytes, bytes),
                      0);
          }
        }
      }
      transpose({}, turned, back);
      EXPECT_TRUE(samples_of(back) == samples_of(image));
    }
  }
}

TEST(Transposed, sets_have_x_and_y_exchanged) {
  for (const char* spec : {"rect:7x3", "disk:4.5", "line:9@30", "shift(cross:3,2,-1)"}) {
    const OffsetSet set = StructuringElement(spec).sum(2);
    const OffsetSet turned = transposed(set);
    EXPECT_EQ(turned.count(), set.count());
    for (const Offset& offset : set.offsets()) EXPECT_TRUE(turned.contains({offset.z, offset.x, offset.y})) << spec;
    EXPECT_TRUE(transposed(turned) == set);
  }
}

/// With little memory the image is not exchanged.
Context as_it_lies(const Image& image) {
  Context context;
  context.memory_bytes = 5 * image.shape().count() * sample_bytes(image.type());
  return context;
}

Image turned(const Image& image) {
  Image other(image.type(), transposed(image.shape()));
  transpose({}, image, other);
  return other;
}

TEST(Transposed, narrow_images_have_the_answers_of_wide_ones) {
  Sampled some(17);
  unsigned seed = 0;
  for (const Type type : {Type::Bool, Type::U8, Type::I16, Type::F32}) {
    for (const std::int64_t x : {1, 2, 5, 8, 15}) {
      for (const int rank : {2, 3}) {
        const Image image = random_image(type, {rank == 2 ? 1 : 2, 30000 / x, x, rank}, ++seed);
        ASSERT_TRUE(better_transposed({}, type, image.shape()));
        ASSERT_FALSE(better_transposed(as_it_lies(image), type, image.shape()));
        const Image wide = turned(image);
        for (const Border& border : {Border::neutral(), Border::reflect(), Border::wrap(), Border::constant(1)}) {
          for (const StructuringElement element : {"rect:3x2", "disk:2", "line:7@30", "shift(square:3,1,-2)"}) {
            if (some.skips()) continue;
            SCOPED_TRACE(std::string(name(type)) + " " + to_string(image.shape()) + " " + element.spec() + " " +
                         to_string(border));
            const StructuringElement other(transposed(element.sum(2)), 2);
            for (const Operation operation :
                 {Operation::Erode, Operation::Open, Operation::Gradient, Operation::TopHat}) {
              ASSERT_TRUE(
                  samples_of(turned(morphology({}, operation, image, {.element = element, .border = border}))) ==
                  samples_of(morphology({}, operation, wide, {.element = other, .border = border})));
            }
            ASSERT_TRUE(
                samples_of(turned(median({}, image, {.window = element, .percentile = 40, .border = border}))) ==
                samples_of(median({}, wide, {.window = other, .percentile = 40, .border = border})));
          }
        }
        EXPECT_TRUE(samples_of(open({}, image, {.element = "disk:2"})) ==
                    samples_of(open(as_it_lies(image), image, {.element = "disk:2"})));
        const HitMissOptions corner{};
        EXPECT_TRUE(samples_of(hitmiss({}, image, corner)) == samples_of(hitmiss(as_it_lies(image), image, corner)));
        const SmoothOptions smoother{.width = 5, .height = 9, .iterations = 2};
        EXPECT_TRUE(samples_of(smooth({}, image, smoother)) == samples_of(smooth(as_it_lies(image), image, smoother)));
        const OutlierOptions outliers{.threshold = 2};
        EXPECT_TRUE(samples_of(remove_outliers({}, image, outliers)) ==
                    samples_of(remove_outliers(as_it_lies(image), image, outliers)));
      }
    }
  }
}

TEST(Transposed, nan_is_refused_where_it_lies) {
  Image image(Type::F32, {1, 20000, 3, 2});
  image.row<float>(0, 17000)[1] = std::numeric_limits<float>::quiet_NaN();
  image.row<float>(0, 18000)[0] = std::numeric_limits<float>::quiet_NaN();
  const auto refusal = [&](const auto& work) {
    try {
      work();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal([&] { static_cast<void>(erode({}, image)); }),
            "erode: the image holds NaN at x 1, y 17000; wanted numbers, or nan ignore");
  EXPECT_EQ(refusal([&] { static_cast<void>(median({}, image)); }),
            "median: the image holds NaN at x 1, y 17000; wanted numbers, or nan ignore");
}

}  // namespace
}  // namespace tamis
