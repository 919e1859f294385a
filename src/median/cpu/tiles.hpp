// Bands cut into tiles, for engines that sort what a tile sees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "median/cpu/band.hpp"
#include "median/cpu/keys.hpp"

namespace tamis::median_detail::cpu {

// Keys of a part of a slab, sorted once: selection among them then needs only their ranks, whatever their type.

/// Results side by side, a box; what their windows see is the box with window.low below and window.high above.
struct Tile {
  Offset first;
  Offset extent{1, 1, 1};
};

/// What the windows of a tile's results see, as places (z, y, x) from its first corner; numbers of places are
/// z slice_stride + y row_stride + x.
struct RankedTileLayout {
  Offset extent{1, 1, 1};
  std::int64_t row_stride = 1, slice_stride = 1;

  /// Without gaps.
  static RankedTileLayout dense(const OffsetBox& window, const Tile& tile) {
    const Offset extent = tile.extent + window.high - window.low;
    return {extent, extent.x, extent.x * extent.y};
  }
  [[nodiscard]] std::int64_t count() const { return extent.z * extent.y * extent.x; }
  [[nodiscard]] std::int64_t number(const Offset& place) const {
    return place.z * slice_stride + place.y * row_stride + place.x;
  }
};

/// Ranks are 0 ... count-1, each once: of equal keys the one that comes first in memory is the lower.
template <class K>
class RankedTile {
 public:
  /// Numbers of places are below 2^32.
  void fill(const KeySlab<K>& in, const RankStep& step, const Tile& tile, const RankedTileLayout& places);

  [[nodiscard]] K key(std::int64_t rank) const {
    return static_cast<K>(sorted_[static_cast<std::size_t>(rank)] >> 32U);
  }
  [[nodiscard]] std::uint32_t place(std::int64_t rank) const {
    return static_cast<std::uint32_t>(sorted_[static_cast<std::size_t>(rank)]);
  }

 private:
  std::vector<std::uint64_t> sorted_;  ///< key, place
  std::vector<std::uint64_t> other_;
};

/// Results of a tile along each axis, so that it sees about `keys`, or more where the window alone is large: then it is
/// as large as the window. Tiles share `most` results evenly.
[[nodiscard]] inline Offset tile_extent(const OffsetBox& box, const Offset& most, std::int64_t keys,
                                        std::int64_t key_bytes) {
  const Offset reach = box.high - box.low;
  constexpr std::int64_t line = 64;  // bytes that come from memory at once
  const std::int64_t least_x = std::min<std::int64_t>(most.x, line / key_bytes);
  const int axes = (reach.z > 0) + (reach.y > 0) + (reach.x > 0);
  // Along axes where the window has one sample alone nothing is gained.
  double share = static_cast<double>(keys);
  if (reach.x == 0) share /= static_cast<double>(least_x);
  auto edge = static_cast<std::int64_t>(std::pow(share, 1.0 / std::max(axes, 1)));
  // What a window sees that is longer than the edge leaves less for the other axes.
  int longer = 0;
  for (const std::int64_t window_reach : {reach.z, reach.y, reach.x}) {
    if (2 * window_reach + 1 <= edge) continue;
    share /= static_cast<double>(2 * window_reach + 1);
    ++longer;
  }
  if (longer > 0 && longer < axes) {
    edge = static_cast<std::int64_t>(std::pow(std::max(share, 1.0), 1.0 / (axes - longer)));
  }
  const auto along = [&](std::int64_t n, std::int64_t window_reach) {
    if (window_reach == 0) return std::int64_t{1};
    const std::int64_t extent = std::min(n, std::max(edge - window_reach, window_reach + 1));
    const std::int64_t tiles = (n + extent - 1) / extent;
    return (n + tiles - 1) / tiles;
  };
  return {along(most.z, reach.z), along(most.y, reach.y), reach.x == 0 ? least_x : along(most.x, reach.x)};
}

/// Of a band.
template <class K>
[[nodiscard]] Offset tile_extent(const BandTask<K>& work, std::int64_t keys) {
  const Offset most{work.band.z1 - work.band.z0, work.band.y1 - work.band.y0, work.x1 - work.x0};
  return tile_extent(work.step->window.box(), most, keys, sizeof(K));
}

template <class K, class Body>
void for_tiles(const BandTask<K>& work, const Offset& extent, const Body& body) {
  for (std::int64_t z = work.band.z0; z < work.band.z1; z += extent.z) {
    for (std::int64_t y = work.band.y0; y < work.band.y1; y += extent.y) {
      for (std::int64_t x = work.x0; x < work.x1; x += extent.x) {
        work.step->stop_if_cancelled();
        body(Tile{{z, y, x},
                  {std::min(extent.z, work.band.z1 - z), std::min(extent.y, work.band.y1 - y),
                   std::min(extent.x, work.x1 - x)}});
      }
    }
  }
}

}  // namespace tamis::median_detail::cpu
