// The paper's scheme on the CPU, against the library's answers: sizes and maps of every element and border.
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <tamis/error.hpp>

#include "granulometry/test/testing.hpp"
#include "papers/boulos/granulometry.hpp"

namespace tamis::boulos {
namespace {

using namespace granulometry_testing;

TEST(BoulosScheme, has_the_librarys_sizes_and_maps) {
  for (const Shape& shape : {Shape{1, 41, 90, 2}, Shape{5, 33, 71, 3}, Shape{17, 20, 65, 3}, Shape{1, 1, 130, 3}}) {
    unsigned seed = 0;
    for (const RoiKind roi : {RoiKind::None, RoiKind::OneSlice, RoiKind::Full}) {
      const Image domain = random_domain(shape, roi, ++seed);
      Image object = random_object(shape, 0.97, seed);
      clip(object, domain);
      for (const Element element : elements_for(shape)) {
        for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
          for (const std::optional<std::int64_t> most :
               {std::optional<std::int64_t>{}, std::optional<std::int64_t>{3}}) {
            const GranulometryOptions options{element, border, most};
            const Sizes wanted = tamis::granulometry({}, object, options, domain);
            const Sizes got = boulos::granulometry({}, object, options, domain);
            EXPECT_EQ(got.volume, wanted.volume) << to_string(shape) << name(element);
            EXPECT_EQ(got.limited, wanted.limited);
            EXPECT_EQ(got.never_empties, wanted.never_empties);
            EXPECT_EQ(got.border_voxels, wanted.border_voxels);
            EXPECT_EQ(values(boulos::size_map({}, object, options, domain)),
                      values(tamis::size_map({}, object, options, domain)));
          }
        }
      }
    }
  }
}

TEST(BoulosScheme, sizes_past_254_are_exact) {
  if (small_scale()) GTEST_SKIP() << "TAMIS_TEST_SCALE is set";
  struct Wide {
    Shape shape;
    DomainBorder border;
  };
  for (const Wide& wide :
       {Wide{{1, 20, 290, 2}, DomainBorder::Neutral}, Wide{{1, 515, 520, 2}, DomainBorder::Background}}) {
    Image object = random_object(wide.shape, 1, 1);
    object.row<std::uint64_t>(0, 3)[0] &= ~std::uint64_t{1};
    for (const Element element : {Element::Cross, Element::Square}) {
      const GranulometryOptions options{element, wide.border, {}};
      const Sizes sizes = tamis::granulometry({}, object, options);
      EXPECT_GT(sizes.rows(), 255);
      EXPECT_EQ(sizes.volume, boulos::granulometry({}, object, options).volume);
      const Image map = tamis::size_map({}, object, options);
      EXPECT_EQ(map.type(), Type::U16);
      EXPECT_EQ(values(map), values(boulos::size_map({}, object, options)));
    }
  }
}

TEST(BoulosScheme, rows_wider_than_a_kernel_takes_at_once_are_exact) {
  // 64 lines of 64 bytes: 4096 lanes of one byte, 2048 of two, which the large size asks for.
  unsigned seed = 0;
  const bool small = small_scale();
  const std::vector<std::int64_t> widths =
      small ? std::vector<std::int64_t>{4097, 4160} : std::vector<std::int64_t>{4096, 4097, 4159, 4160, 4161, 8193};
  const std::vector<double> densities = small ? std::vector<double>{0.98} : std::vector<double>{0.9, 0.98, 0.998};
  for (const std::int64_t x : widths) {
    for (const Shape& shape : {Shape{1, 9, x, 2}, Shape{3, 9, x, 3}, Shape{1, 1, x / 2 + 1, 3}}) {
      for (const double density : densities) {
        Image object = random_object(shape, density, ++seed);
        if (shape.y == 1) {  // a hole, and 256 voxels to the row's end
          object = random_object(shape, 1, 1);
          object.row<std::uint64_t>(0, 0)[(shape.x - 257) / 64] &= ~(std::uint64_t{1} << ((shape.x - 257) % 64));
        }
        for (const Element element : elements_for(shape)) {
          for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
            const GranulometryOptions options{element, border, 260};
            const Sizes sizes = tamis::granulometry({}, object, options);
            const std::vector<std::uint32_t> map = values(tamis::size_map({}, object, options));
            EXPECT_EQ(sizes.volume, boulos::granulometry({}, object, options).volume) << to_string(shape) << name(element);
            EXPECT_TRUE(map == values(boulos::size_map({}, object, options))) << to_string(shape) << name(element);
          }
        }
      }
    }
  }
}

TEST(BoulosScheme, refuses_what_does_not_fit) {
  Context context;
  context.memory_bytes = 100000;
  EXPECT_THROW((void)boulos::granulometry(context, random_object({60, 60, 60, 3}, 0.9, 1)), ResourceError);
}

}  // namespace
}  // namespace tamis::boulos
