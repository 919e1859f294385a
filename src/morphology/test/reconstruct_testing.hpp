// Pairs of marker and mask for the tests of reconstruction.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>

#include <tamis/morphology.hpp>

#include "morphology/test/testing.hpp"

namespace tamis::reconstruct_testing {

using namespace morphology_testing;

struct Pair {
  Image marker, mask;
};

/// A marker below (above) the mask: the mask in few places, the lowest (highest) value elsewhere.
inline Image marker_for(const Image& mask, bool below, unsigned seed, unsigned one_of = 20) {
  Image marker(mask.type(), mask.shape());
  const Grid values = grid_of(mask);
  std::mt19937 random(seed);
  std::size_t at = 0;
  for (std::int64_t z = 0; z < mask.shape().z; ++z)
    for (std::int64_t y = 0; y < mask.shape().y; ++y)
      for (std::int64_t x = 0; x < mask.shape().x; ++x, ++at) {
        const double rest = below ? values.lowest : values.highest;
        set(marker, z, y, x, random() % one_of == 0 ? values.values[at] : rest);
      }
  return marker;
}

/// One way through the whole image: rows joined at their ends by turns, slices by their corners; marked at its start.
inline Pair one_way(Type type, const Shape& shape, bool below) {
  const auto [lowest, highest] = range_of(type);
  const double open = type == Type::F32 ? (below ? 5 : -5) : below ? highest : lowest;
  const double wall = below ? lowest : highest;
  Pair pair{Image(type, shape), Image(type, shape)};
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        const bool turn = y % 4 == 1 ? x + 1 == shape.x : x == 0;
        const bool between = y == 0 && x == 0;
        set(pair.mask, z, y, x, (z % 2 == 0 ? y % 2 == 0 || turn : between) ? open : wall);
        set(pair.marker, z, y, x, wall);
      }
  set(pair.marker, 0, 0, 0, open);
  return pair;
}

/// Blocks of equal values with a border of lower ones, marked in few places.
inline Pair plateaus(Type type, const Shape& shape, bool below, unsigned seed) {
  Pair pair{Image(), random_image(type, shape, seed)};
  const Grid values = grid_of(pair.mask);
  constexpr std::int64_t edge = 7;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        const std::int64_t from = ((z / edge * edge) * shape.y + y / edge * edge) * shape.x + x / edge * edge;
        set(pair.mask, z, y, x, values.values[static_cast<std::size_t>(from)]);
      }
  pair.marker = marker_for(pair.mask, below, seed + 1, 200);
  return pair;
}

/// Of every kind, for one type and shape.
inline std::vector<Pair> pairs(Type type, const Shape& shape, bool below, unsigned seed) {
  std::vector<Pair> all;
  const auto random = [&] { return random_image(type, shape, seed); };
  all.push_back({marker_for(random(), below, seed + 1), random()});
  all.push_back({random(), random()});
  all.push_back(one_way(type, shape, below));
  all.push_back(plateaus(type, shape, below, seed));
  return all;
}

/// Samples of U16 as wider ones in the same order, all of whose bits differ.
template <class Wide>
Image widened(const Image& image) {
  Image wide(sizeof(Wide) == 4 ? Type::U32 : Type::U64, image.shape());
  for (std::int64_t z = 0; z < image.shape().z; ++z)
    for (std::int64_t y = 0; y < image.shape().y; ++y)
      for (std::int64_t x = 0; x < image.shape().x; ++x) {
        wide.row<Wide>(z, y)[x] = std::numeric_limits<Wide>::max() / 65535 * image.row<std::uint16_t>(z, y)[x];
      }
  return wide;
}

/// Whether wider samples are rebuilt as those of U16, in every form.
template <class Wide>
void expect_widened(const Context& context, const Shape& shape) {
  unsigned seed = 1;
  for (const auto by : {ReconstructOptions::By::Dilation, ReconstructOptions::By::Erosion})
    for (const Connectivity connectivity : {Connectivity::Face, Connectivity::Full})
      for (const Pair& pair : pairs(Type::U16, shape, by == ReconstructOptions::By::Dilation, seed++)) {
        Context cpu;
        cpu.device = Device::Cpu;
        Image mask;
        try {
          mask = reconstruct(cpu, pair.marker, pair.mask, {by, connectivity});
        } catch (const InputError&) {
          continue;  // a marker above its mask
        }
        const Image wanted = widened<Wide>(mask);
        const Image got =
            reconstruct(context, widened<Wide>(pair.marker), widened<Wide>(pair.mask), {by, connectivity});
        ASSERT_EQ(got.type(), wanted.type());
        EXPECT_EQ(std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0)
            << to_string(shape);
      }
}

}  // namespace tamis::reconstruct_testing
