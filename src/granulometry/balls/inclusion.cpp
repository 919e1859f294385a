#include "granulometry/balls/squares.hpp"

#include <algorithm>
#include <array>

namespace tamis::granulometry_detail {

Inclusion inclusion_tables(const WholeSides& sides, std::uint64_t largest, bool flat) {
  constexpr std::uint64_t most = 128 * 128;
  const auto count = static_cast<std::int64_t>(std::min(largest, most)) + 1;
  // The neighbour at (dx, dy, dz) holds p of the ball around 0 if |p - d|^2 is small; farthest is the p that points
  // away, so that all of p and d may be taken as not negative, and their components added.
  constexpr std::array<std::array<int, 3>, diagonals> offsets = {{{1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
  Inclusion tables;
  for (auto& least : tables.least) least.assign(static_cast<std::size_t>(count), 0);
  const auto square = [](std::int64_t value) { return value * value; };
  for (std::int64_t z = 0; square(sides.z * z) < count && (z == 0 || !flat); ++z)
    for (std::int64_t y = 0; square(sides.z * z) + square(sides.y * y) < count; ++y)
      for (std::int64_t x = 0;; ++x) {
        const std::int64_t at = square(sides.z * z) + square(sides.y * y) + square(sides.x * x);
        if (at + 1 >= count) break;
        for (int i = 0; i < diagonals; ++i) {
          const auto [dx, dy, dz] = offsets[static_cast<std::size_t>(i)];
          const auto along = [](std::int64_t length) { return static_cast<std::uint64_t>(length * length); };
          const std::uint64_t far = along(sides.z * (z + dz)) + along(sides.y * (y + dy)) + along(sides.x * (x + dx));
          // A ball of square s holds |p|^2 <= s - 1, and the one that holds it needs one more than the farthest.
          std::uint32_t& least = tables.least[i][static_cast<std::size_t>(at + 1)];
          least = std::max(least, static_cast<std::uint32_t>(std::min<std::uint64_t>(far + 1, Inclusion::never)));
        }
      }
  for (auto& least : tables.least) {
    for (std::size_t s = 1; s < least.size(); ++s) least[s] = std::max(least[s], least[s - 1]);
  }
  return tables;
}

}  // namespace tamis::granulometry_detail
