#include <tamis/balls.hpp>

#include <cstring>
#include <vector>

#include <tamis/phantom.hpp>

#include "core/test/gpu_test.hpp"
#include "distance/test/testing.hpp"
#include "granulometry/test/repeated_balls.hpp"

namespace tamis {
namespace {

using distance_testing::clip;
using distance_testing::random_object;

class GpuBalls : public GpuTest {};

struct Mapped {
  BallSizes sizes;
  Type type = Type::U16;
  std::vector<std::byte> squares;
};

Mapped map_of(const Context& context, const Image& object, const BallOptions& options, const Image& domain) {
  Mapped map;
  const auto start = [&](const BallSizes&, Type type) { map.type = type; };
  map.sizes = ball_map(context, object, options, domain, start,
                       [&](const std::byte* slices, std::int64_t, std::int64_t count) {
                         const Shape& shape = object.shape();
                         map.squares.insert(map.squares.end(), slices,
                                            slices + count * shape.y * shape.x * sample_bytes(map.type));
                       });
  return map;
}

void expect_same_sizes(const BallSizes& found, const BallSizes& expected) {
  EXPECT_EQ(found.sizes.volume, expected.sizes.volume);
  EXPECT_EQ(found.sizes.never_empties, expected.sizes.never_empties);
  EXPECT_EQ(found.sizes.limited, expected.sizes.limited);
  EXPECT_EQ(found.sizes.border_voxels, expected.sizes.border_voxels);
  EXPECT_EQ(found.sizes.rank, expected.sizes.rank);
  EXPECT_EQ(found.sizes.listed, expected.sizes.listed);
  EXPECT_EQ(found.largest_square, expected.largest_square);
  EXPECT_EQ(found.unbounded, expected.unbounded);
  ASSERT_EQ(found.thickness.has_value(), expected.thickness.has_value());
  if (!expected.thickness) return;
  EXPECT_EQ(found.thickness->mean_radius, expected.thickness->mean_radius);
  EXPECT_EQ(found.thickness->standard_deviation, expected.thickness->standard_deviation);
}

void expect_same(const Context& gpu, const Image& object, const BallOptions& options, const Image& domain = {}) {
  SCOPED_TRACE(to_string(object.shape()) + " rank " + std::to_string(object.shape().rank) + " " +
               std::string(name(options.border)) + " " + std::string(name(options.convention)) +
               (options.by_slices ? " by slices" : ""));
  Context cpu;
  cpu.device = Device::Cpu;
  const Mapped expected = map_of(cpu, object, options, domain);
  const Mapped found = map_of(gpu, object, options, domain);
  expect_same_sizes(found.sizes, expected.sizes);
  EXPECT_EQ(found.type, expected.type);
  ASSERT_TRUE(found.squares == expected.squares);
}

const std::vector<Shape> shapes = {{1, 1, 1, 3},   {1, 1, 1, 2},   {5, 1, 1, 3},   {1, 7, 1, 3},   {1, 1, 63, 3},
                                   {1, 9, 64, 3},  {3, 5, 65, 3},  {9, 9, 9, 3},   {33, 7, 5, 3},  {1, 33, 31, 2},
                                   {1, 1, 130, 2}, {1, 70, 1, 2},  {2, 34, 33, 3}, {14, 15, 40, 3}, {34, 35, 66, 3},
                                   {1, 300, 231, 2}, {20, 33, 2080, 3}};

/// Takes from the first slices what a mask has not.
void clip_slices(Image& object, const Image& mask) {
  for (std::int64_t z = 0; z < mask.shape().z; ++z)
    for (std::int64_t y = 0; y < mask.shape().y; ++y)
      for (std::int64_t x = 0; x < mask.shape().x; ++x) {
        if (!mask.bit(z, y, x)) distance_testing::clear_bit(object, z, y, x);
      }
}

std::vector<BallOptions> every_option(const Shape& shape) {
  std::vector<BallOptions> all;
  for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
    for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Porespy, BallConvention::Fiji})
      for (const bool by_slices : {false, true})
        if (!by_slices || shape.rank == 3) all.push_back({border, convention, by_slices, {}});
  return all;
}

TEST_F(GpuBalls, are_those_of_the_cpu_for_every_shape_and_option) {
  for (const Shape& shape : shapes)
    for (const BallOptions& options : every_option(shape))
      for (const double background : {0.0, 0.0005, 0.003, 0.03, 0.4, 0.9})
        expect_same(on_gpu(), random_object(shape, background, 17), options);
}

TEST_F(GpuBalls, are_those_of_the_cpu_inside_domains) {
  for (const Shape& shape : {Shape{14, 15, 40, 3}, Shape{1, 40, 131, 2}, Shape{9, 30, 66, 3}})
    for (const BallOptions& options : every_option(shape))
      for (const std::int64_t slices : {std::int64_t{1}, shape.z}) {
        const Image domain = random_object({slices, shape.y, shape.x, shape.rank}, 0.05, 3);
        Image object = random_object(shape, 0.01, 11);
        clip(object, domain);
        expect_same(on_gpu(), object, options, domain);
      }
}

TEST_F(GpuBalls, are_those_of_the_cpu_for_anisotropic_voxels) {
  for (const Spacing& spacing : {Spacing{2, 1, 1, "um"}, Spacing{1, 5, 3, "um"}, Spacing{7, 2, 6, "mm"},
                                 Spacing{10, 2.5, 2.5, "um"}, Spacing{64, 63, 61, "nm"}})
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
      for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Fiji})
        for (const double background : {0.001, 0.02})
          for (const Shape& shape : {Shape{22, 34, 40, 3}, Shape{1, 40, 70, 2}}) {
            Image object = random_object(shape, background, 5);
            object.spacing = spacing;
            expect_same(on_gpu(), object, {border, convention});
          }
}

/// Sizes of voxels that people have: squares of 32 bits past 2^20, and of 64.
TEST_F(GpuBalls, are_those_of_the_cpu_for_measured_voxels) {
  for (const Spacing& spacing : distance_testing::measured_spacings())
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
      for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Fiji})
        for (const bool by_slices : {false, true})
          for (const Shape& shape : {Shape{22, 34, 70, 3}, Shape{1, 40, 70, 2}, Shape{50, 33, 20, 3}}) {
            if (by_slices && shape.rank == 2) continue;
            for (const double background : {0.00005, 0.0005, 0.02, 0.4}) {
              Image object = random_object(shape, background, 5);
              object.spacing = spacing;
              expect_same(on_gpu(), object, {border, convention, by_slices});
            }
            const Image domain = random_object({1, shape.y, shape.x, shape.rank}, 0.02, 3);
            Image object = random_object(shape, 0.002, 7);
            clip(object, domain);
            object.spacing = spacing;
            expect_same(on_gpu(), object, {border, convention, by_slices}, domain);
          }
}

/// Large balls, walls that are flat, where many boxes have one square, and every slab and map.
TEST_F(GpuBalls, of_foam_with_measured_voxels_are_those_of_the_cpu) {
  Image foam = phantom_foam({}, {.shape = {90, 120, 150, 3}, .max_radius = 40, .min_radius = 5});
  Image walls = random_object({80, 70, 96, 3}, 0, 1);
  for (std::int64_t y = 0; y < 70; ++y) distance_testing::clear_bit(walls, 40, y, 50);
  Context cpu;
  cpu.device = Device::Cpu;
  for (const Spacing& spacing : distance_testing::measured_spacings())
    for (Image* const object : {&foam, &walls}) {
      object->spacing = spacing;
      for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
        expect_same(on_gpu(), *object, {border});
      BallOptions listed{DomainBorder::Background};
      listed.radii = {1, 2, 5, 9, 14, 60000};
      expect_same(on_gpu(), *object, listed);
      for (const BallMeasure measure :
           {BallMeasure::Size, BallMeasure::Radius, BallMeasure::Width, BallMeasure::Diameter}) {
        const Image expected = ball_map(cpu, *object, measure);
        const Image found = ball_map(on_gpu(), *object, measure);
        ASSERT_EQ(found.type(), expected.type());
        EXPECT_EQ(std::memcmp(found.data(), expected.data(), static_cast<std::size_t>(expected.bytes())), 0);
      }
      Context slabs = on_gpu();
      slabs.device_memory_bytes = std::int64_t{120} << 20;
      expect_same(slabs, *object, {});
    }
}

TEST_F(GpuBalls, of_listed_radii_are_those_of_the_cpu) {
  for (const Shape& shape : {Shape{14, 35, 40, 3}, Shape{1, 40, 70, 2}})
    for (const std::vector<std::int64_t>& radii : {std::vector<std::int64_t>{1}, {1, 3}, {2, 3, 5}, {60000}})
      for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Porespy, BallConvention::Fiji}) {
        BallOptions options{DomainBorder::Neutral, convention};
        options.radii = radii;
        expect_same(on_gpu(), random_object(shape, 0.003, 7), options);
      }
}

/// Radii on both sides of 168, where squares are made another way, and of 254, where they no longer fit 16 bits.
TEST_F(GpuBalls, of_large_radii_are_those_of_the_cpu) {
  for (const std::int64_t edge : {330, 340, 420, 506, 520}) {
    Image object = random_object({1, edge, edge + 7, 2}, 0, 1);
    expect_same(on_gpu(), object, {});
    distance_testing::clear_bit(object, 0, edge / 3, edge / 2);
    expect_same(on_gpu(), object, {DomainBorder::Neutral});
    expect_same(on_gpu(), object, {DomainBorder::Background, BallConvention::Fiji});
  }
  const Image foam = phantom_foam({}, {.shape = {200, 220, 240, 3}, .max_radius = 90, .min_radius = 20});
  expect_same(on_gpu(), foam, {DomainBorder::Neutral});
}

/// Squares of 32 bits: on both sides of a radius of 1024, from which on balls no longer go by tiles, and large balls beside
/// small ones, with voxels of every form.
TEST_F(GpuBalls, of_radii_beyond_16_bits_are_those_of_the_cpu) {
  for (const std::int64_t edge : {2040, 2046, 2048, 2050, 2090}) {
    Image object = random_object({1, edge, edge + 7, 2}, 0, 1);
    expect_same(on_gpu(), object, {});
    for (const std::int64_t at : {3, 5, 9, 40, 300}) distance_testing::clear_bit(object, 0, edge / at, edge / 2);
    expect_same(on_gpu(), object, {DomainBorder::Neutral});
    expect_same(on_gpu(), object, {DomainBorder::Background, BallConvention::Fiji});
  }
  Image foam = phantom_foam({}, {.shape = {130, 121, 140, 3}, .max_radius = 60, .min_radius = 3});
  for (const Spacing& spacing : {Spacing{7, 7, 6, "um"}, Spacing{1, 7, 3, "um"}, Spacing{23, 21, 1, "um"}}) {
    foam.spacing = spacing;
    for (const bool by_slices : {false, true}) expect_same(on_gpu(), foam, {DomainBorder::Neutral, BallConvention::Tamis, by_slices, {}});
    expect_same(on_gpu(), foam, {DomainBorder::Background, BallConvention::Fiji});
  }
  Image noise = random_object({60, 70, 200, 3}, 0.0005, 9);
  noise.spacing = {31, 30, 29, "um"};
  expect_same(on_gpu(), noise, {DomainBorder::Neutral});
}

TEST_F(GpuBalls, of_foam_noise_and_both_phases_are_those_of_the_cpu) {
  Image foam = phantom_foam({}, {.shape = {150, 131, 170, 3}, .max_radius = 30, .min_radius = 4});
  for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) expect_same(on_gpu(), foam, {border});
  expect_same(on_gpu(), random_object({100, 120, 140, 3}, 0.1, 3), {});
  expect_same(on_gpu(), random_object({100, 120, 140, 3}, 0.03, 3), {});
  BallOptions limited;
  limited.max_size = 3;
  expect_same(on_gpu(), foam, limited);
}

TEST_F(GpuBalls, in_slabs_are_the_same) {
  const Image foam = phantom_foam({}, {.shape = {300, 120, 150, 3}, .max_radius = 24, .min_radius = 4});
  Context context = on_gpu();
  for (const std::int64_t megabytes : {84, 95}) {
    context.device_memory_bytes = megabytes << 20;
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      expect_same(context, foam, {border});
      expect_same(context, foam, {border, BallConvention::Tamis, true});
    }
  }
  context.device_memory_bytes = std::int64_t{66} << 20;
  EXPECT_THROW((void)ball_granulometry(context, foam), ResourceError);
}

/// Squares of 32 bits in some slabs, of 16 in others.
TEST_F(GpuBalls, of_large_radii_in_slabs_are_the_same) {
  Image object = phantom_foam({}, {.shape = {600, 60, 66, 3}, .max_radius = 40, .min_radius = 30});
  clip_slices(object, random_object({300, 60, 66, 3}, 0.3, 3));
  object.spacing = {8, 8, 7, "um"};
  Context context = on_gpu();
  context.device_memory_bytes = std::int64_t{92} << 20;  // 290 slices, of which halos take 257
  for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) expect_same(context, object, {border});
  BallOptions listed{DomainBorder::Neutral, BallConvention::Fiji};
  listed.radii = {3, 17, 30, 500};
  expect_same(context, object, listed);
}

TEST_F(GpuBalls, of_several_gpus_are_the_same) {
  const Image foam = phantom_foam({}, {.shape = {300, 60, 90, 3}, .max_radius = 12, .min_radius = 4});
  Context context = on_gpu();
  for (const std::size_t more : {1U, 3U}) {
    context.more_gpus = more_gpus(more);
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      expect_same(context, foam, {border});
      expect_same(context, foam, {border, BallConvention::Tamis, true});
      expect_same(context, foam, {border, BallConvention::Fiji});
    }
    expect_same(context, random_object({5, 40, 67, 3}, 0.1, 5), {});
  }
}

/// Lists have indices of 32 bits: slabs. Takes gigabytes of the host.
TEST_F(GpuBalls, DISABLED_of_more_than_2_to_the_31_voxels_are_exact) {
  const distance_testing::Repeated repeated;
  ball_testing::expect_repeated(on_gpu(), repeated, repeated.large());
}

TEST_F(GpuBalls, maps_of_every_measure_are_those_of_the_cpu) {
  Image object = random_object({20, 40, 67, 3}, 0.002, 5);
  object.spacing = {2, 1, 1, "um"};
  Context cpu;
  cpu.device = Device::Cpu;
  for (const BallMeasure measure : {BallMeasure::Size, BallMeasure::Radius, BallMeasure::Width, BallMeasure::Diameter})
    for (const bool by_slices : {false, true}) {
      const BallOptions options{DomainBorder::Neutral, BallConvention::Tamis, by_slices};
      const Image expected = ball_map(cpu, object, measure, options);
      const Image found = ball_map(on_gpu(), object, measure, options);
      ASSERT_EQ(found.type(), expected.type());
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), static_cast<std::size_t>(expected.bytes())), 0);
    }
}

TEST_F(GpuBalls, of_long_voxels_have_squares_of_32_bits) {
  Image object = random_object({20, 34, 67, 3}, 0.0005, 5);
  object.spacing = {64, 63, 61, "nm"};
  Context cpu;
  cpu.device = Device::Cpu;
  for (const BallMeasure measure : {BallMeasure::Size, BallMeasure::Radius, BallMeasure::Width, BallMeasure::Diameter})
    for (const std::vector<std::int64_t>& radii : {std::vector<std::int64_t>{}, {1}, {2, 5, 7}, {4, 60000}})
      for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Fiji}) {
        BallOptions options{DomainBorder::Neutral, convention};
        options.radii = radii;
        if (measure == BallMeasure::Size) expect_same(on_gpu(), object, options);
        const Image expected = ball_map(cpu, object, measure, options);
        const Image found = ball_map(on_gpu(), object, measure, options);
        ASSERT_EQ(found.type(), expected.type());
        EXPECT_EQ(std::memcmp(found.data(), expected.data(), static_cast<std::size_t>(expected.bytes())), 0);
      }
  BallOptions limited;
  limited.max_size = 3;
  expect_same(on_gpu(), object, limited);
}

}  // namespace
}  // namespace tamis
