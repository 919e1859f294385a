// What the tests of a few large sizes on a GPU share: small pores, and large octahedra among them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/phantom.hpp>

namespace tamis::large_objects {

inline Context cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

inline void set(Image& image, std::int64_t z, std::int64_t y, std::int64_t x) {
  image.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
}

/// What of it lies in the image.
inline void add_octahedron(Image& image, std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t radius) {
  const Shape& s = image.shape();
  for (std::int64_t vz = std::max<std::int64_t>(z - radius, 0); vz <= std::min(z + radius, s.z - 1); ++vz)
    for (std::int64_t vy = std::max<std::int64_t>(y - radius, 0); vy <= std::min(y + radius, s.y - 1); ++vy) {
      const std::int64_t rest = radius - std::abs(vz - z) - std::abs(vy - y);
      for (std::int64_t vx = std::max<std::int64_t>(x - rest, 0); vx <= std::min(x + rest, s.x - 1); ++vx) {
        set(image, vz, vy, vx);
      }
    }
}

inline Image small_foam(const Shape& shape) {
  FoamOptions foam;
  foam.shape = shape;
  foam.max_radius = 12;
  return phantom_foam(cpu(), foam);
}

}  // namespace tamis::large_objects
