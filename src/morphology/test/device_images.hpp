// For tests of filters on device memory: images as dense samples and back, and what the CPU says.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/morphology.hpp>

#include "core/test/gpu_arrays.hpp"
#include "morphology/test/testing.hpp"

namespace tamis::morphology_testing {

/// As in an array on a GPU: x fastest, a byte for each bool.
inline std::vector<std::byte> dense_samples(const Image& image) {
  const Shape& shape = image.shape();
  const auto bytes = static_cast<std::size_t>(shape.count() * sample_bytes(image.type()));
  std::vector<std::byte> dense(bytes);
  if (image.type() != Type::Bool) {
    std::memcpy(dense.data(), image.data(), bytes);
    return dense;
  }
  std::size_t i = 0;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) dense[i++] = std::byte{image.bit(z, y, x)};
  return dense;
}

/// How many samples differ; NaN is NaN, whatever its bits.
inline std::int64_t differences(Type type, const std::vector<std::byte>& got, const std::vector<std::byte>& wanted) {
  const auto sample = static_cast<std::size_t>(sample_bytes(type));
  std::int64_t count = 0;
  for (std::size_t i = 0; i < wanted.size(); i += sample) {
    if (std::memcmp(&got[i], &wanted[i], sample) == 0) continue;
    if (type == Type::F32) {
      float a = 0, b = 0;
      std::memcpy(&a, &got[i], sample);
      std::memcpy(&b, &wanted[i], sample);
      if (std::isnan(a) && std::isnan(b)) continue;
    }
    ++count;
  }
  return count;
}

inline Context on_cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

/// The message of what `work` throws as an InputError; empty if it throws none.
inline std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace tamis::morphology_testing
