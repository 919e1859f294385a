// Keys of a part of a slab, sorted once: selection among them then needs only their ranks, whatever their type.
#pragma once

#include <cstdint>
#include <vector>

#include "median/cpu/key_slab.hpp"

namespace tamis::median_detail::cpu {

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

}  // namespace tamis::median_detail::cpu
