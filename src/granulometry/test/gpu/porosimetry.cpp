#include <tamis/porosimetry.hpp>

#include <vector>

#include <tamis/error.hpp>
#include <tamis/phantom.hpp>

#include "core/test/gpu_test.hpp"
#include "distance/test/testing.hpp"
#include "granulometry/gpu/balls/invasion.hpp"

namespace tamis {
namespace {

using distance_testing::clip;
using distance_testing::random_object;

class GpuPorosimetry : public GpuTest {};

struct Invaded {
  Porosimetry found;
  Type type = Type::U16;
  std::vector<std::byte> squares;
};

Invaded invasion_of(const Context& context, const Image& object, const PorosimetryOptions& options,
                    const Image& domain, const Image& inlet) {
  Invaded map;
  map.found = invasion_map(
      context, object, options, domain, inlet, [&](const BallSizes&, Type type) { map.type = type; },
      [&](const std::byte* slices, std::int64_t, std::int64_t count) {
        const Shape& shape = object.shape();
        map.squares.insert(map.squares.end(), slices, slices + count * shape.y * shape.x * sample_bytes(map.type));
      });
  return map;
}

void expect_same(const Context& gpu, const Image& object, const PorosimetryOptions& options, const Image& domain = {},
                 const Image& inlet = {}) {
  SCOPED_TRACE(to_string(object.shape()) + " " + std::string(name(options.border)));
  Context cpu;
  cpu.device = Device::Cpu;
  const Invaded expected = invasion_of(cpu, object, options, domain, inlet);
  const Invaded got = invasion_of(gpu, object, options, domain, inlet);
  EXPECT_EQ(got.found.volume, expected.found.volume);
  EXPECT_EQ(got.found.invaded, expected.found.invaded);
  EXPECT_EQ(got.found.breakthrough, expected.found.breakthrough);
  EXPECT_EQ(got.found.balls.sizes.volume, expected.found.balls.sizes.volume);
  ASSERT_EQ(got.found.pores.has_value(), expected.found.pores.has_value());
  if (expected.found.pores) {
    EXPECT_EQ(got.found.pores->sizes.volume, expected.found.pores->sizes.volume);
  }
  EXPECT_EQ(got.type, expected.type);
  ASSERT_TRUE(got.squares == expected.squares);
}

std::vector<Faces> inlets(const Shape& shape) {
  std::vector<Faces> all = {{.y_low = true}, {.y_high = true}, {.x_low = true}, {.x_high = true},
                            {.y_low = true, .x_high = true}};
  if (shape.rank == 3) {
    all.push_back({.z_low = true});
    all.push_back({.z_high = true});
    all.push_back({true, true, true, true, true, true});
  }
  return all;
}

TEST_F(GpuPorosimetry, is_that_of_the_cpu_from_every_inlet) {
  for (const Shape& shape : {Shape{14, 15, 40, 3}, Shape{1, 40, 70, 2}, Shape{3, 5, 65, 3}, Shape{30, 33, 34, 3}})
    for (const Faces& inlet : inlets(shape))
      for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
        for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Porespy})
          for (const double background : {0.003, 0.1, 0.5}) {
            expect_same(on_gpu(), random_object(shape, background, 9), {inlet, border, convention, background < 0.2});
          }
}

TEST_F(GpuPorosimetry, is_that_of_the_cpu_from_masks_and_inside_domains) {
  const Shape shape{14, 21, 40, 3};
  for (const std::int64_t slices : {std::int64_t{1}, shape.z})
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      const Image mask = random_object({slices, shape.y, shape.x, 3}, 0.99, 4);
      const Image domain = random_object({slices, shape.y, shape.x, 3}, 0.05, 3);
      Image object = random_object(shape, 0.02, 11);
      expect_same(on_gpu(), object, {Faces{}, border}, {}, mask);
      clip(object, domain);
      expect_same(on_gpu(), object, {Faces{.x_low = true}, border}, domain, mask);
      expect_same(on_gpu(), object, {Faces{.z_low = true}, border}, domain);
    }
}

TEST_F(GpuPorosimetry, of_foam_with_long_voxels_is_that_of_the_cpu) {
  Image foam = phantom_foam({}, {.shape = {90, 101, 130, 3}, .max_radius = 20, .min_radius = 4, .pore_fraction = 0.5});
  expect_same(on_gpu(), foam, {});
  foam.spacing = {2, 1, 1, "um"};
  expect_same(on_gpu(), foam, {});
}

/// Radii past 254 sides, and what is painted as they are: volumes whose lists would take more than 32 bits.
TEST_F(GpuPorosimetry, with_squares_of_32_bits_is_that_of_the_cpu) {
  Image foam = phantom_foam({}, {.shape = {60, 71, 90, 3}, .max_radius = 20, .min_radius = 4, .pore_fraction = 0.5});
  const Image domain = random_object({1, 71, 90, 3}, 0.002, 3);
  foam.spacing = {64, 63, 61, "nm"};
  for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
    for (const bool pores : {false, true}) {
      expect_same(on_gpu(), foam, {Faces{.z_low = true}, border, BallConvention::Tamis, pores});
      Image inside = random_object({60, 71, 90, 3}, 0.0001, 2);
      clip(inside, domain);
      inside.spacing = foam.spacing;
      expect_same(on_gpu(), inside, {Faces{.x_low = true}, border, BallConvention::Tamis, pores}, domain);
    }
}

TEST_F(GpuPorosimetry, with_measured_voxels_is_that_of_the_cpu) {
  Image foam = phantom_foam({}, {.shape = {60, 71, 90, 3}, .max_radius = 20, .min_radius = 4, .pore_fraction = 0.5});
  const Image domain = random_object({1, 21, 40, 3}, 0.02, 3);
  for (const Spacing& spacing : distance_testing::measured_spacings())
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      foam.spacing = spacing;
      expect_same(on_gpu(), foam, {Faces{.z_low = true}, border, BallConvention::Tamis, true});
      expect_same(on_gpu(), foam, {Faces{.x_high = true}, border});
      Image inside = random_object({14, 21, 40, 3}, 0.002, 2);
      clip(inside, domain);
      inside.spacing = spacing;
      expect_same(on_gpu(), inside, {Faces{.x_low = true}, border, BallConvention::Tamis, true}, domain);
      Image image = random_object({1, 40, 70, 2}, 0.01, 9);
      image.spacing = spacing;
      expect_same(on_gpu(), image, {Faces{.y_low = true}, border});
    }
}

TEST_F(GpuPorosimetry, of_more_voxels_than_lists_have_indices_is_the_same) {
  const Image foam = phantom_foam({}, {.shape = {60, 71, 90, 3}, .max_radius = 20, .min_radius = 4, .pore_fraction = 0.5});
  Image inlet(Type::Bool, foam.shape());
  for (std::int64_t y = 0; y < 71; ++y) inlet.row<std::uint64_t>(0, y)[0] = ~std::uint64_t{0};
  const auto with_lists_for = [&](std::int64_t voxels, BallConvention convention) {
    granulometry_detail::gpu::balls::InvasionTask task{&foam, nullptr, &inlet,
                                                       {Faces{.z_low = true}, DomainBorder::Neutral, convention, true},
                                                       whole_sides({}, 3), Faces{.z_high = true}, voxels};
    const granulometry_detail::gpu::balls::Invasion invasion(on_gpu(), task);
    EXPECT_EQ(invasion.type(), Type::U16);
    Invaded map;
    map.found.invaded = invasion.invaded().finite;
    map.found.volume = invasion.pores()->finite;
    map.found.breakthrough = static_cast<double>(invasion.widest());
    invasion.deliver([&](const std::byte* slices, std::int64_t, std::int64_t count) {
      map.squares.insert(map.squares.end(), slices, slices + count * 71 * 90 * 2);
    });
    return map;
  };
  for (const BallConvention convention : {BallConvention::Tamis, BallConvention::Porespy}) {
    const Invaded wanted = with_lists_for(std::int64_t{1} << 31, convention);
    const Invaded found = with_lists_for(1000, convention);
    EXPECT_GT(wanted.found.invaded, 0);
    EXPECT_EQ(found.found.invaded, wanted.found.invaded);
    EXPECT_EQ(found.found.volume, wanted.found.volume);
    EXPECT_EQ(found.found.breakthrough, wanted.found.breakthrough);
    ASSERT_TRUE(found.squares == wanted.squares);
  }
}

TEST_F(GpuPorosimetry, of_an_object_without_background_is_refused) {
  EXPECT_THROW((void)porosimetry(on_gpu(), random_object({4, 5, 6, 3}, 0, 1),
                                 {Faces{true, true, true, true, true, true}}),
               InputError);
}

}  // namespace
}  // namespace tamis
