// What the tests of this family share: random images of every type, the definition's answer.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/morphology.hpp>

#include "core/test/scale.hpp"
#include "core/visit_type.hpp"
#include "morphology/test/reference.hpp"

namespace tamis::morphology_testing {

using morphology_reference::Grid;

inline const std::vector<Type> filter_types = {Type::Bool, Type::U8, Type::U16, Type::I16, Type::F32};

/// Lowest and highest value of a type.
inline std::pair<double, double> range_of(Type type) {
  if (type == Type::Bool) return {0, 1};
  if (type == Type::U8) return {0, 255};
  if (type == Type::U16) return {0, 65535};
  if (type == Type::I16) return {-32768, 32767};
  return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}

inline void set(Image& image, std::int64_t z, std::int64_t y, std::int64_t x, double value) {
  if (image.type() == Type::Bool) {
    std::uint64_t& word = image.row<std::uint64_t>(z, y)[x / 64];
    const std::uint64_t bit = std::uint64_t{1} << (x % 64);
    word = value != 0 ? word | bit : word & ~bit;
    return;
  }
  visit_type(image.type(),
             [&](auto sample) { image.row<decltype(sample)>(z, y)[x] = static_cast<decltype(sample)>(value); });
}

/// Values of the whole range, extremes and (F32) zeros of both signs among them; nan_share of the samples are NaN.
inline Image random_image(Type type, const Shape& shape, unsigned seed, double nan_share = 0) {
  Image image(type, shape);
  std::mt19937 random(seed);
  const auto [lowest, highest] = range_of(type);
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        const auto pick = random() % 64;
        double value = static_cast<double>(random() % 65536);
        if (type == Type::Bool) value = pick < 40 ? 1 : 0;
        if (type == Type::U8) value = static_cast<double>(random() % 256);
        if (type == Type::I16) value -= 32768;
        if (type == Type::F32) value = (value - 32768) / 64;
        if (type == Type::F32 && pick >= 2 && pick < 8) value = pick % 2 == 0 ? 0.0 : -0.0;
        if (type != Type::Bool && pick < 2) value = pick == 0 ? lowest : highest;
        if (static_cast<double>(random() % 1000) < nan_share * 1000) value = std::nan("");
        set(image, z, y, x, value);
      }
  return image;
}

inline Grid grid_of(const Image& image) {
  Grid grid;
  grid.shape = image.shape();
  std::tie(grid.lowest, grid.highest) = range_of(image.type());
  for (std::int64_t z = 0; z < grid.shape.z; ++z)
    for (std::int64_t y = 0; y < grid.shape.y; ++y)
      for (std::int64_t x = 0; x < grid.shape.x; ++x) {
        if (image.type() == Type::Bool) {
          grid.values.push_back(image.bit(z, y, x));
        } else {
          visit_type(image.type(), [&](auto sample) {
            grid.values.push_back(static_cast<double>(image.row<decltype(sample)>(z, y)[x]));
          });
        }
      }
  return grid;
}

/// n erosions by each part in turn, or dilations by the parts in reverse order.
inline Grid half(Grid grid, const MorphologyOptions& options, bool erode) {
  const std::vector<OffsetSet> sets = options.element.sets(grid.shape.rank);
  for (std::int64_t i = 0; i < options.iterations; ++i) {
    for (std::size_t k = 0; k < sets.size(); ++k) {
      const OffsetSet& set = sets[erode ? k : sets.size() - 1 - k];
      grid = morphology_reference::step(grid, set.offsets(), erode, options.border);
    }
  }
  return grid;
}

inline Grid minus(const Grid& a, const Grid& b) {
  Grid out = a;
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const double difference = a.values[i] - b.values[i];
    out.values[i] = std::isnan(difference) ? difference : std::min(std::max(difference, a.lowest), a.highest);
    if (std::isinf(a.lowest)) out.values[i] = static_cast<double>(static_cast<float>(difference));
  }
  return out;
}

inline Grid reference(Operation operation, const Grid& f, const MorphologyOptions& options) {
  const auto eroded = [&] { return half(f, options, true); };
  const auto dilated = [&] { return half(f, options, false); };
  switch (operation) {
    case Operation::Erode:
      return eroded();
    case Operation::Dilate:
      return dilated();
    case Operation::Open:
      return half(eroded(), options, false);
    case Operation::Close:
      return half(dilated(), options, true);
    case Operation::Gradient:
      return minus(dilated(), eroded());
    case Operation::InnerGradient:
      return minus(f, eroded());
    case Operation::OuterGradient:
      return minus(dilated(), f);
    case Operation::TopHat:
      return minus(f, half(eroded(), options, false));
    case Operation::BotHat:
      return minus(half(dilated(), options, true), f);
  }
  return f;
}

/// Index of the first sample that differs, bit for bit but for which NaN it is; -1 if none does.
inline std::int64_t first_difference(const Grid& a, const Grid& b) {
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double u = a.values[i], v = b.values[i];
    if (std::isnan(u) && std::isnan(v)) continue;
    if (std::bit_cast<std::uint64_t>(u) != std::bit_cast<std::uint64_t>(v)) return static_cast<std::int64_t>(i);
  }
  return -1;
}

/// One context for each instruction set that this machine has.
inline std::vector<Context> instruction_sets() {
  std::vector<Context> contexts;
  for (const Simd simd : {Simd::Avx512, Simd::Avx2, Simd::Portable}) {
    Context context;
    context.simd = simd;
    try {
      (void)context.describe();
      contexts.push_back(context);
    } catch (const ResourceError&) {
      continue;
    }
  }
  return contexts;
}

inline std::vector<Border> borders_for(Type type) {
  return {Border::neutral(), Border::reflect(), Border::nearest(), Border::constant(type == Type::Bool ? 1 : 7),
          Border::mirror(),  Border::wrap()};
}

inline const std::vector<Operation> all_operations = {
    Operation::Erode,         Operation::Dilate,        Operation::Open,   Operation::Close, Operation::Gradient,
    Operation::InnerGradient, Operation::OuterGradient, Operation::TopHat, Operation::BotHat};

}  // namespace tamis::morphology_testing
