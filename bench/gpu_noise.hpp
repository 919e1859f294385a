// The image of benchmarks whose time does not depend on it.
#pragma once

#include <cstdint>
#include <random>

#include <tamis/image.hpp>

namespace tamis::bench {

/// Noise: for F32 whole numbers from 0 to 65535, of bits 7 in 8 are 1.
inline Image noise(Type type, const Shape& shape) {
  Image image(type, shape);
  std::mt19937_64 random(7);
  if (type == Type::F32) {
    auto* const samples = reinterpret_cast<float*>(image.data());
    std::uint64_t draw = 0;
    for (std::int64_t i = 0; i < shape.count(); ++i, draw >>= 16) {
      if (i % 4 == 0) draw = random();
      samples[i] = static_cast<float>(draw & 0xffff);
    }
    return image;
  }
  auto* const words = reinterpret_cast<std::uint64_t*>(image.data());
  for (std::int64_t i = 0; i < image.bytes() / 8; ++i) {
    words[i] = type == Type::Bool ? random() | random() | random() : random();
  }
  return image;
}

}  // namespace tamis::bench
