#include <tamis/distance.hpp>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <tamis/phantom.hpp>

#include "core/test/gpu_test.hpp"
#include "distance/test/repeated.hpp"
#include "distance/test/testing.hpp"

namespace tamis {
namespace {

using distance_testing::clip;
using distance_testing::random_object;

class GpuDistance : public GpuTest {};

void expect_same(const Context& gpu, const Image& object, const DistanceOptions& options, const Image& domain = {}) {
  SCOPED_TRACE(distance_testing::describe(object.shape(), options));
  Context cpu;
  cpu.device = Device::Cpu;
  const SquaredDistances expected = squared_distance(cpu, object, options, domain);
  const SquaredDistances found = squared_distance(gpu, object, options, domain);
  EXPECT_EQ(found.squares.type(), expected.squares.type());
  EXPECT_EQ(found.largest, expected.largest);
  EXPECT_EQ(found.unbounded, expected.unbounded);
  EXPECT_EQ(found.sides, expected.sides);
  ASSERT_TRUE(distance_testing::values(found.squares) == distance_testing::values(expected.squares));
  const Image lengths = distance(cpu, object, options, domain);
  const Image on_gpu = distance(gpu, object, options, domain);
  EXPECT_EQ(std::memcmp(on_gpu.data(), lengths.data(), static_cast<std::size_t>(lengths.bytes())), 0);
}

std::vector<DistanceOptions> every_option(const Shape& shape) {
  std::vector<DistanceOptions> all;
  for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
    for (const Faces& open : {Faces{}, Faces{.z_low = true, .y_high = true, .x_low = true}, Faces{.x_high = true}})
      for (const bool by_slices : {false, true})
        if (!by_slices || shape.rank == 3) all.push_back({border, open, by_slices});
  return all;
}

const std::vector<Shape> shapes = {{1, 1, 1, 3},    {1, 1, 1, 2},    {5, 1, 1, 3},   {1, 7, 1, 3},     {1, 1, 63, 3},
                                   {3, 5, 65, 3},   {33, 7, 5, 3},   {2, 34, 33, 3}, {40, 50, 70, 3},  {1, 300, 200, 2},
                                   {1, 1, 2100, 2}, {1, 2000, 3, 2}, {3, 9, 1025, 3}, {1600, 3, 40, 3}, {3, 1600, 33, 3}};

TEST_F(GpuDistance, is_that_of_the_cpu_for_every_shape_and_option) {
  for (const Shape& shape : shapes)
    for (const DistanceOptions& options : every_option(shape))
      for (const double background : {0.0, 0.0005, 0.02, 0.5})
        expect_same(on_gpu(), random_object(shape, background, 21), options);
}

TEST_F(GpuDistance, is_that_of_the_cpu_inside_domains) {
  for (const Shape& shape : {Shape{9, 20, 70, 3}, Shape{1, 40, 131, 2}})
    for (const DistanceOptions& options : every_option(shape))
      for (const std::int64_t slices : {std::int64_t{1}, shape.z}) {
        const Image domain = random_object({slices, shape.y, shape.x, shape.rank}, 0.05, 3);
        Image object = random_object(shape, 0.01, 11);
        clip(object, domain);
        expect_same(on_gpu(), object, options, domain);
      }
}

TEST_F(GpuDistance, is_that_of_the_cpu_for_anisotropic_voxels) {
  for (const Spacing& spacing : {Spacing{2, 1, 1, "um"}, Spacing{1, 5, 3, "um"}, Spacing{64, 63, 61, "nm"}})
    for (const DistanceOptions& options : every_option({})) {
      Image object = random_object({12, 34, 90, 3}, 0.003, 5);
      object.spacing = spacing;
      expect_same(on_gpu(), object, options);
    }
}

/// Sizes of voxels that people have: squares of 32 and 64 bits.
TEST_F(GpuDistance, is_that_of_the_cpu_for_measured_voxels) {
  for (const Spacing& spacing : distance_testing::measured_spacings())
    for (const DistanceOptions& options : every_option({}))
      for (const Shape& shape : {Shape{12, 34, 90, 3}, Shape{70, 9, 33, 3}, Shape{9, 150, 35, 3}}) {
        for (const double background : {0.0001, 0.003, 1.0}) {
          Image object = random_object(shape, background, 5);
          object.spacing = spacing;
          expect_same(on_gpu(), object, options);
        }
        Image domain = random_object({1, shape.y, shape.x, 3}, 0.02, 3);
        Image object = random_object(shape, 0.0005, 7);
        clip(object, domain);
        object.spacing = spacing;
        expect_same(on_gpu(), object, options, domain);
      }
}

/// Lengths at the limits of squares of 31 and 62 bits, in columns that have an envelope and in those that do not.
TEST_F(GpuDistance, of_long_sides_is_exact) {
  for (const std::int64_t side : {168, 181, 254, 255, 46340, 46341, 65535, 65536, 1 << 24, 1 << 29}) {
    for (const Shape& shape : {Shape{3, 4, 5, 3}, Shape{60, 3, 4, 3}, Shape{2, 70, 4, 3}, Shape{2, 3, 70, 3}}) {
      Image object = random_object(shape, 0.0, 1);
      object.spacing = {static_cast<double>(side), static_cast<double>(side + 1), 1, "nm"};
      for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
        if (border == DomainBorder::Neutral) distance_testing::clear_bit(object, 1, 2, 3);
        if (side > 1 << 24 && shape.z + shape.y > 10) continue;  // 62 bits do not hold those
        expect_same(on_gpu(), object, {border});
        std::swap(object.spacing.x, object.spacing.z);
        if (side <= 1 << 24 || shape.x < 10) expect_same(on_gpu(), object, {border});
        std::swap(object.spacing.x, object.spacing.z);
      }
    }
  }
}

TEST_F(GpuDistance, says_what_the_cpu_does) {
  Image object = random_object({1, 1, 70000, 3}, 0, 1);
  distance_testing::clear_bit(object, 0, 0, 0);
  std::vector<std::string> notes;
  Context context = on_gpu();
  context.on_note = [&](std::string_view note) { notes.emplace_back(note); };
  EXPECT_EQ(squared_distance(context, object, {DomainBorder::Neutral}).device, Device::Cpu);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes.front(), "squares of distances may need more than 62 bits, or more than 31 in rows of 65535 voxels "
                           "and more: the CPU does it without the GPU");
}

/// Squares at the limits of the fast form, of 16 bits and beyond: a single hole far away.
TEST_F(GpuDistance, of_one_hole_is_exact_however_far) {
  for (const std::int64_t length : {100, 168, 169, 170, 181, 182, 254, 255, 256, 257, 300, 1300}) {
    for (const Shape& shape : {Shape{1, 2, length, 2}, Shape{1, length, 2, 2}, Shape{length, 2, 33, 3}}) {
      Image object = random_object(shape, 0, 1);
      distance_testing::clear_bit(object, 0, 0, 0);
      expect_same(on_gpu(), object, {DomainBorder::Neutral});
    }
  }
}

/// Columns on both sides of 46340, whose square needs the 32nd bit: they go another way from there on.
TEST_F(GpuDistance, of_columns_at_the_limit_of_32_bits_is_exact) {
  for (const std::int64_t length : {46339, 46340, 46341, 46342, 66000}) {
    for (const Shape& shape : {Shape{1, length, 3, 2}, Shape{length, 2, 3, 3}}) {
      Image object = random_object(shape, 0, 1);
      expect_same(on_gpu(), object, {});
      distance_testing::clear_bit(object, shape.z > 1 ? 7 : 0, shape.z > 1 ? 1 : 7, 1);
      expect_same(on_gpu(), object, {DomainBorder::Neutral});
      expect_same(on_gpu(), random_object(shape, 0.0001, 2), {DomainBorder::Neutral});
    }
  }
}

/// Takes gigabytes of the host.
TEST_F(GpuDistance, DISABLED_of_more_than_2_to_the_31_voxels_is_exact) {
  const distance_testing::Repeated repeated;
  const Image object = repeated.large();
  const SquaredDistances small = squared_distance({}, repeated.small());
  const SquaredDistances found = squared_distance(on_gpu(), object);
  ASSERT_EQ(small.squares.type(), Type::U16);
  ASSERT_EQ(found.squares.type(), Type::U16);
  EXPECT_EQ(found.largest, small.largest);
  EXPECT_EQ(distance_testing::Repeated::wrong_rows(small.squares, object.shape(), found.squares.row<std::uint16_t>(0, 0),
                                                   0, object.shape().z),
            0);
}

TEST_F(GpuDistance, in_slabs_is_the_same) {
  const Image object = phantom_foam({}, {.shape = {300, 200, 250, 3}, .max_radius = 40, .min_radius = 4});
  Context context = on_gpu();
  for (const std::int64_t megabytes : {79, 85}) {
    context.device_memory_bytes = megabytes << 20;
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      expect_same(context, object, {border});
      expect_same(context, object, {border, {}, true});
    }
  }
  Image wide = phantom_foam({}, {.shape = {200, 120, 150, 3}, .max_radius = 40, .min_radius = 4});
  wide.spacing = {8, 8, 7, "um"};
  context.device_memory_bytes = std::int64_t{96} << 20;
  for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) expect_same(context, wide, {border});
  context.device_memory_bytes = std::int64_t{120} << 20;
  for (const Spacing& spacing : {Spacing{2.5, 0.6836, 0.6836, "um"}, Spacing{1, 1.0007, 1.0007, "um"}}) {
    wide.spacing = spacing;
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) expect_same(context, wide, {border});
  }
  context.device_memory_bytes = std::int64_t{65} << 20;
  EXPECT_THROW((void)squared_distance(context, object), ResourceError);
}

}  // namespace
}  // namespace tamis
