// What the tests of distances share.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/image.hpp>

#include "distance/test/reference.hpp"

namespace tamis::distance_testing {

/// Object everywhere but where a coin of this probability falls.
inline Image random_object(const Shape& shape, double background, unsigned seed) {
  Image image(Type::Bool, shape);
  std::mt19937 random(seed);
  std::bernoulli_distribution hole(background);
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x)
        if (!hole(random)) image.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
  return image;
}

inline void clip(Image& object, const Image& domain) {
  if (domain.empty()) return;
  for (std::int64_t z = 0; z < object.shape().z; ++z)
    for (std::int64_t y = 0; y < object.shape().y; ++y)
      for (std::int64_t i = 0; i < object.row_bytes() / 8; ++i)
        object.row<std::uint64_t>(z, y)[i] &= domain.row<std::uint64_t>(z % domain.shape().z, y)[i];
}

inline void clear_bit(Image& image, std::int64_t z, std::int64_t y, std::int64_t x) {
  image.row<std::uint64_t>(z, y)[x / 64] &= ~(std::uint64_t{1} << (x % 64));
}

/// The samples of squares; the largest of their type is `infinite`.
inline std::vector<std::uint64_t> values(const Image& image) {
  std::vector<std::uint64_t> out;
  const auto add = [&](auto sample) {
    const bool finite = sample != std::numeric_limits<decltype(sample)>::max();
    out.push_back(finite ? std::uint64_t{sample} : distance_reference::infinite);
  };
  for (std::int64_t z = 0; z < image.shape().z; ++z)
    for (std::int64_t y = 0; y < image.shape().y; ++y)
      for (std::int64_t x = 0; x < image.shape().x; ++x) {
        if (image.type() == Type::U16) add(image.row<std::uint16_t>(z, y)[x]);
        if (image.type() == Type::U32) add(image.row<std::uint32_t>(z, y)[x]);
        if (image.type() == Type::U64) add(image.row<std::uint64_t>(z, y)[x]);
      }
  return out;
}

/// Sizes of voxels that people have, whose squares take 16, 32 and 64 bits on small images.
inline std::vector<Spacing> measured_spacings() {
  return {{0.5, 0.206, 0.206, "um"}, {0.2, 0.0645, 0.0645, "um"},      {2.5, 0.6836, 0.6836, "um"},
          {1, 1.0007, 1.0007, "um"}, {1.7320508, 1.41421356, 1, "um"}, {0.6836, 0.6836, 2.5, "mm"},
          {1, 1000, 300.0001, "nm"}};
}

/// One context for each instruction set that this machine has, and one of several threads.
inline std::vector<Context> contexts() {
  std::vector<Context> all(1);
  all.front().threads = 1;
  for (const Simd simd : {Simd::Avx512, Simd::Avx2, Simd::Portable}) {
    Context context;
    context.simd = simd;
    try {
      (void)context.describe();
      all.push_back(context);
    } catch (const ResourceError&) {
      continue;
    }
  }
  return all;
}

inline std::string describe(const Shape& shape, const DistanceOptions& options) {
  return to_string(shape) + " rank " + std::to_string(shape.rank) + " " + std::string(name(options.border)) +
         (options.by_slices ? " by slices" : "");
}

}  // namespace tamis::distance_testing
