#include <cstdlib>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/phantom.hpp>

#include "phantom/split_mix.hpp"

namespace tamis {
namespace {

std::int64_t volume(const Image& image) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < image.bytes() / 8; ++i) sum += __builtin_popcountll(image.row<std::uint64_t>(0, 0)[i]);
  return sum;
}

bool same(const Image& a, const Image& b) {
  for (std::int64_t i = 0; i < a.bytes() / 8; ++i) {
    if (a.row<std::uint64_t>(0, 0)[i] != b.row<std::uint64_t>(0, 0)[i]) return false;
  }
  return a.shape() == b.shape();
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool in_image(const Shape& s, std::int64_t z, std::int64_t y, std::int64_t x) {
  return z >= 0 && y >= 0 && x >= 0 && z < s.z && y < s.y && x < s.x;
}

/// Voxels in the opening by the cross of size n, from the definition: the union of crosses that fit; outside is
/// background.
std::int64_t opened_volume(const Image& image, std::int64_t n) {
  const Shape& s = image.shape();
  const std::int64_t depth = s.rank == 2 ? 0 : n;
  const auto for_cross = [&](std::int64_t z, std::int64_t y, std::int64_t x, const auto& visit) {
    for (std::int64_t k = -depth; k <= depth; ++k) {
      for (std::int64_t j = -n; j <= n; ++j) {
        for (std::int64_t i = -n; i <= n; ++i) {
          if (std::abs(k) + std::abs(j) + std::abs(i) <= n) visit(z + k, y + j, x + i);
        }
      }
    }
  };
  Image opened(Type::Bool, s);
  for (std::int64_t z = 0; z < s.z; ++z) {
    for (std::int64_t y = 0; y < s.y; ++y) {
      for (std::int64_t x = 0; x < s.x; ++x) {
        bool fits = true;
        for_cross(z, y, x, [&](auto c, auto b, auto a) { fits = fits && in_image(s, c, b, a) && image.bit(c, b, a); });
        if (!fits) continue;
        for_cross(z, y, x, [&](auto c, auto b, auto a) {
          opened.row<std::uint64_t>(c, b)[a / 64] |= std::uint64_t{1} << (a % 64);
        });
      }
    }
  }
  return volume(opened);
}

TEST(SplitMix, gives_the_published_sequence) {
  phantom_detail::SplitMix random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
}

TEST(SplitMix, between_reaches_both_ends_and_nothing_else) {
  phantom_detail::SplitMix random(1);
  std::int64_t seen[7] = {};
  for (int i = 0; i < 7000; ++i) ++seen[random.between(-3, 3) + 3];
  for (const std::int64_t n : seen) EXPECT_NEAR(static_cast<double>(n), 1000, 150);
}

TEST(Foam, reaches_its_pore_fraction_and_little_more) {
  for (const Shape& shape : {Shape{64, 64, 64, 3}, Shape{31, 70, 100, 3}, Shape{1, 200, 300, 2}}) {
    FoamOptions options{.shape = shape, .max_radius = 8, .min_radius = 2, .pore_fraction = 0.6};
    const Image foam = phantom_foam({}, options);
    const double share = static_cast<double>(volume(foam)) / static_cast<double>(shape.count());
    EXPECT_GE(share, 0.6);
    EXPECT_LT(share, 0.6 + 4.19 * 512 / static_cast<double>(shape.count()) + 0.01);
  }
}

TEST(Foam, is_the_same_for_a_seed_whatever_the_threads_and_another_for_another_seed) {
  FoamOptions options{.shape = {40, 40, 40, 3}, .max_radius = 9};
  Context one;
  one.threads = 1;
  Context four;
  four.threads = 4;
  const Image foam = phantom_foam(one, options);
  EXPECT_TRUE(same(foam, phantom_foam(four, options)));
  options.seed = 8;
  EXPECT_FALSE(same(foam, phantom_foam(one, options)));
}

TEST(Foam, the_first_sphere_is_whole_and_as_large_as_allowed) {
  for (const int rank : {2, 3}) {
    const FoamOptions options{.shape = {rank == 2 ? 1 : 30, 33, 40, rank}, .max_radius = 9, .pore_fraction = 1e-9};
    const Image foam = phantom_foam({}, options);
    std::int64_t wanted = 0;
    for (std::int64_t z = rank == 2 ? 0 : -9; z <= (rank == 2 ? 0 : 9); ++z) {
      for (std::int64_t y = -9; y <= 9; ++y) {
        for (std::int64_t x = -9; x <= 9; ++x) wanted += z * z + y * y + x * x <= 81;
      }
    }
    EXPECT_EQ(volume(foam), wanted);
  }
}

TEST(Foam, a_sphere_larger_than_the_volume_is_cut) {
  const Image foam = phantom_foam({}, {.shape = {5, 5, 5, 3}, .max_radius = 40, .pore_fraction = 1});
  EXPECT_EQ(volume(foam), 125);
}

TEST(Foam, bad_options_are_refused) {
  const Shape shape{8, 8, 8, 3};
  EXPECT_NE(refusal([&] { (void)phantom_foam({}, {.shape = shape, .max_radius = 3, .min_radius = 4}); }), "");
  EXPECT_NE(refusal([&] { (void)phantom_foam({}, {.shape = shape, .min_radius = -1}); }), "");
  EXPECT_NE(refusal([&] { (void)phantom_foam({}, {.shape = shape, .pore_fraction = 0}); }), "");
  EXPECT_NE(refusal([&] { (void)phantom_foam({}, {.shape = shape, .pore_fraction = 1.1}); }), "");
  EXPECT_NE(refusal([&] { (void)phantom_foam({}, {.shape = {0, 8, 8, 3}}); }), "");
}

TEST(Octahedra, the_closed_form_is_the_granulometry_by_definition) {
  for (const Shape& shape : {Shape{13, 14, 27, 3}, Shape{8, 9, 70, 3}, Shape{1, 30, 90, 2}}) {
    const OctahedraOptions options{.shape = shape, .max_radius = 3, .seed = 5};
    const Octahedra got = phantom_octahedra({}, options);
    ASSERT_EQ(got.spectrum.size(), 4U);
    std::int64_t before = volume(got.image);
    for (std::int64_t n = 0; n < 4; ++n) {
      const std::int64_t after = opened_volume(got.image, n + 1);
      EXPECT_EQ(before - after, got.spectrum[static_cast<std::size_t>(n)]) << to_string(shape) << " size " << n;
      before = after;
    }
    EXPECT_EQ(before, 0);
  }
}

TEST(Octahedra, an_octahedron_just_fits_into_a_cube_of_its_width) {
  EXPECT_GE(volume(phantom_octahedra({}, {.shape = {7, 7, 7, 3}, .max_radius = 3}).image), 1);
  EXPECT_NE(refusal([] {
              (void)phantom_octahedra({}, {.shape = {6, 7, 7, 3}, .max_radius = 3});
            }).find("wanted edges of at least 7"),
            std::string::npos);
  EXPECT_NE(refusal([] { (void)phantom_octahedra({}, {.shape = {6, 7, 7, 3}, .max_radius = -1}); }), "");
}

TEST(Octahedra, none_is_smaller_than_the_smallest_radius) {
  const Octahedra got = phantom_octahedra({}, {.shape = {60, 50, 70, 3}, .max_radius = 5, .min_radius = 3});
  for (std::int64_t radius = 0; radius < 3; ++radius) EXPECT_EQ(got.spectrum[static_cast<std::size_t>(radius)], 0);
  for (const std::size_t radius : {3U, 4U, 5U}) EXPECT_GT(got.spectrum[radius], 0);
  EXPECT_EQ(opened_volume(got.image, 3), volume(got.image));
  EXPECT_EQ(refusal([] { (void)phantom_octahedra({}, {.max_radius = 5, .min_radius = 6}); }),
            "octahedra: min_radius 6; wanted 0 to 5");
}

}  // namespace
}  // namespace tamis
