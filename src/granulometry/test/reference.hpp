// The definition, word for word, on one byte a voxel. For tests; nothing here is fast.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

namespace tamis::granulometry_reference {

/// Bytes 0 and 1, with the offsets of the unit element.
struct Problem {
  Shape shape;
  std::vector<std::uint8_t> object, domain;
  bool neutral = false;
  std::vector<std::array<int, 3>> offsets;  // z, y, x

  [[nodiscard]] std::size_t at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>((z * shape.y + y) * shape.x + x);
  }
  /// One unit erosion (all neighbours) or dilation (any neighbour) inside the domain.
  [[nodiscard]] std::vector<std::uint8_t> step(const std::vector<std::uint8_t>& in, bool erode) const {
    std::vector<std::uint8_t> out(in.size());
    for (std::int64_t z = 0; z < shape.z; ++z)
      for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
          bool value = erode;
          for (const auto& [dz, dy, dx] : offsets) {
            const std::int64_t nz = z + dz, ny = y + dy, nx = x + dx;
            const bool in_box = nz >= 0 && nz < shape.z && ny >= 0 && ny < shape.y && nx >= 0 && nx < shape.x;
            const bool inside = in_box && domain[at(nz, ny, nx)];
            const bool neighbour = inside ? in[at(nz, ny, nx)] != 0 : erode && neutral;
            value = erode ? value && neighbour : value || neighbour;
          }
          out[at(z, y, x)] = value && domain[at(z, y, x)];
        }
    return out;
  }
};

/// volume[n] for n = 0 ... until nothing is left or max_size, or, if that is negative, nothing changes any more;
/// and the size map.
inline std::vector<std::int64_t> curve(const Problem& problem, std::int64_t max_size, std::vector<std::uint32_t>& map) {
  std::vector<std::int64_t> volume;
  std::vector<std::uint8_t> eroded = problem.object;
  map.assign(problem.object.size(), 0);
  for (std::int64_t n = 0; n <= max_size || max_size < 0; ++n) {
    std::vector<std::uint8_t> opened = eroded;
    for (std::int64_t k = 0; k < n; ++k) opened = problem.step(opened, false);
    volume.push_back(0);
    for (std::size_t i = 0; i < opened.size(); ++i) {
      volume.back() += opened[i];
      map[i] += opened[i];
    }
    std::vector<std::uint8_t> next = problem.step(eroded, true);
    if (volume.back() == 0 || (max_size < 0 && next == eroded)) break;
    eroded = std::move(next);
  }
  return volume;
}

}  // namespace tamis::granulometry_reference
