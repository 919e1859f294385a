// Any window and any rank: the window as a set of ranks that slides, one bit for each key of a tile.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "median/cpu/band.hpp"

namespace tamis::median_detail::cpu {

/// A window as it slides along an axis: from p to p + axis, what was at p + leaving[i] goes and what is at
/// p + axis + coming[i] comes.
struct Slide {
  Offset axis;
  std::vector<Offset> leaving, coming;
};

/// A window as it slides along each axis, that with the fewest changes first.
struct Slides {
  std::array<Slide, 3> along;

  /// Keys that come and go from a result to the next.
  [[nodiscard]] std::int64_t changes() const { return 2 * static_cast<std::int64_t>(along[0].leaving.size()); }
};
/// Time: looks for the neighbours of each of the window's samples.
[[nodiscard]] Slides slides_of(const RankStep& step);

/// Time: the ends of the window's runs along the axis where it has fewest, for each result; sorting what the tile sees
/// comes on top.
template <class K>
void rank_set_band(const BandTask<K>& work, const Slides& slides);

}  // namespace tamis::median_detail::cpu
