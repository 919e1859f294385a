// What the tests of this family share: random objects and domains, the definition's answer, every option.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

#include "core/test/scale.hpp"
#include "granulometry/test/reference.hpp"

namespace tamis::granulometry_testing {

enum class RoiKind { None, OneSlice, Full };

struct Case {
  Shape shape;
  GranulometryOptions options;
  RoiKind roi = RoiKind::None;
  double density = 0.9;
  unsigned seed = 1;
};

/// Blobs rather than noise: boxes of background in an object, so that several sizes survive.
inline Image random_object(const Shape& shape, double density, unsigned seed) {
  Image image(Type::Bool, shape);
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) image.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
  const auto holes = static_cast<std::int64_t>((1 - density) * static_cast<double>(shape.count()));
  for (std::int64_t i = 0; i < holes; ++i) {
    const std::int64_t z = below(shape.z), y = below(shape.y), x = below(shape.x);
    image.row<std::uint64_t>(z, y)[x / 64] &= ~(std::uint64_t{1} << (x % 64));
  }
  return image;
}

inline Image random_domain(const Shape& shape, RoiKind kind, unsigned seed) {
  if (kind == RoiKind::None) return {};
  Shape own = shape;
  if (kind == RoiKind::OneSlice) own.z = 1;
  return random_object(own, 0.95, seed + 1000);
}

inline void clip(Image& object, const Image& domain) {
  if (domain.empty()) return;
  for (std::int64_t z = 0; z < object.shape().z; ++z)
    for (std::int64_t y = 0; y < object.shape().y; ++y)
      for (std::int64_t i = 0; i < object.row_bytes() / 8; ++i)
        object.row<std::uint64_t>(z, y)[i] &= domain.row<std::uint64_t>(z % domain.shape().z, y)[i];
}

/// A domain of two parts that meet at column `edge` and at a slice (of an image, a row), in a corner only or along a
/// side too: there voxels are neighbours of some whose own column, row and slice are empty up to an edge.
inline Image domain_of_two_parts(const Shape& shape, std::int64_t edge, unsigned seed) {
  Image image(Type::Bool, shape);
  std::mt19937 random(seed);
  const bool along_z = shape.z > 1 && random() % 3 != 0;
  const std::int64_t length = along_z ? shape.z : shape.y;
  const auto meeting = static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(length - 1));
  const bool corner = random() % 2 == 0;
  const bool turned = random() % 2 == 0;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        const bool first = ((along_z ? z : y) < meeting) != turned;
        if (first ? x >= edge : x < edge || !corner)
          image.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
      }
  return image;
}

/// Calls visit(object, domain, options, description) for such domains with edges where what is computed at a time ends.
template <class Visit>
void for_domains_of_two_parts(Visit visit) {
  for (const Shape& shape : {Shape{1, 31, 65, 2}, Shape{1, 12, 120, 2}, Shape{5, 17, 66, 3}, Shape{9, 3, 130, 3}})
    for (const std::int64_t edge : {56, 64, 112})
      for (unsigned seed = 1; edge < shape.x && seed <= (small_scale() ? 2 : 8); ++seed)
        for (const Element element : shape.rank == 2 ? std::vector{Element::Cross, Element::Square}
                                                     : std::vector{Element::Cross, Element::Square, Element::Cube}) {
          const Image domain = domain_of_two_parts(shape, edge, seed);
          Image object = random_object(shape, seed % 2 == 0 ? 0.99 : 0.998, seed);
          clip(object, domain);
          visit(object, domain, {element, DomainBorder::Neutral, 10},
                to_string(shape) + ", " + std::string(name(element)) + ", edge " + std::to_string(edge) + ", seed " +
                    std::to_string(seed));
        }
}

inline std::vector<std::array<int, 3>> offsets_of(const Shape& shape, Element element) {
  std::vector<std::array<int, 3>> offsets;
  const bool flat = shape.rank == 2 || element == Element::Square;
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        if (flat && z != 0) continue;
        if (element == Element::Cross && std::abs(z) + std::abs(y) + std::abs(x) > 1) continue;
        offsets.push_back({z, y, x});
      }
  return offsets;
}

struct Expected {
  std::vector<std::int64_t> volume;
  std::vector<std::uint32_t> map;
};

inline Expected reference(const Image& object, const GranulometryOptions& options, const Image& domain) {
  granulometry_reference::Problem problem;
  problem.shape = object.shape();
  problem.neutral = options.border == DomainBorder::Neutral;
  problem.offsets = offsets_of(object.shape(), options.element);
  for (std::int64_t z = 0; z < problem.shape.z; ++z)
    for (std::int64_t y = 0; y < problem.shape.y; ++y)
      for (std::int64_t x = 0; x < problem.shape.x; ++x) {
        problem.object.push_back(object.bit(z, y, x));
        problem.domain.push_back(domain.empty() || domain.bit(z % domain.shape().z, y, x));
      }
  Expected expected;
  expected.volume = granulometry_reference::curve(problem, options.max_size.value_or(-1), expected.map);
  // What fills the domain under a neutral border has one row, whatever the limit.
  if (problem.neutral && problem.object == problem.domain) expected.volume.resize(1);
  return expected;
}

inline std::vector<std::uint32_t> values(const Image& map) {
  std::vector<std::uint32_t> out;
  for (std::int64_t z = 0; z < map.shape().z; ++z)
    for (std::int64_t y = 0; y < map.shape().y; ++y)
      for (std::int64_t x = 0; x < map.shape().x; ++x) {
        switch (sample_bytes(map.type())) {
          case 1:
            out.push_back(map.row<std::uint8_t>(z, y)[x]);
            break;
          case 2:
            out.push_back(map.row<std::uint16_t>(z, y)[x]);
            break;
          default:
            out.push_back(map.row<std::uint32_t>(z, y)[x]);
            break;
        }
      }
  return out;
}

inline std::string describe(const Case& c) {
  return to_string(c.shape) + " rank " + std::to_string(c.shape.rank) + " " + std::string(name(c.options.element)) +
         " " + std::string(name(c.options.border)) + " max " + std::to_string(c.options.max_size.value_or(-1)) +
         " roi " + std::to_string(static_cast<int>(c.roi)) + " density " + std::to_string(c.density);
}

inline std::vector<Element> elements_for(const Shape& shape) {
  if (shape.rank == 2) return {Element::Cross, Element::Square};
  return {Element::Cross, Element::Cube, Element::Square};
}

template <class Visit>
void for_every_option(const Shape& shape, Visit visit) {
  for (const Element element : elements_for(shape))
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral})
      for (const RoiKind roi : {RoiKind::None, RoiKind::OneSlice, RoiKind::Full})
        for (const int max_size : {-1, 0, 2}) {
          Case c{shape, {element, border, {}}, roi};
          if (max_size >= 0) c.options.max_size = max_size;
          visit(c);
        }
}

inline const std::vector<Shape> odd_shapes = {
    {1, 1, 1, 3}, {1, 1, 1, 2},   {5, 1, 1, 3},   {1, 7, 1, 3},   {1, 1, 63, 3}, {1, 9, 64, 3}, {3, 5, 65, 3},
    {9, 9, 9, 3}, {12, 40, 7, 3}, {1, 33, 31, 2}, {1, 1, 130, 2}, {1, 70, 1, 2}, {7, 1, 66, 3}, {40, 3, 5, 3}};

}  // namespace tamis::granulometry_testing
