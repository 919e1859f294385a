// Any window and any rank: the window as a set of ranks that slides, one bit for each key of a tile.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tamis/context.hpp>

#include "median/cpu/band.hpp"

namespace tamis::median_detail::cpu {

// The window as a set of ranks, sliding along a line.

/// A set of ranks below `count`, and where it was last asked for a member.
class RankSet {
 public:
  void clear(std::int64_t count) {
    words.assign(static_cast<std::size_t>((count + 63) / 64), 0);
    at = 0;
    below = 0;
  }
  void insert(std::uint32_t rank) {
    words[rank / 64] |= std::uint64_t{1} << rank % 64;
    below += rank / 64 < at ? 1 : 0;
  }

  std::vector<std::uint64_t> words;
  std::int64_t at = 0;     ///< a word
  std::int64_t below = 0;  ///< members in words before it
};

/// Results along a line, `step` places apart. Before each but the first the set changes: seen from the result's place,
/// the ranks at leaving[i] go and those at coming[i] come, i below changes.
template <class Rank>
struct RankLine {
  const Rank* ranks = nullptr;  ///< by place; the first result's
  std::int64_t step = 1;
  const std::int32_t* leaving = nullptr;
  const std::int32_t* coming = nullptr;
  std::int64_t changes = 0;
  std::int64_t results = 0;
  std::int64_t wanted = 0;             ///< the member with so many others below it; or
  const std::int32_t* each = nullptr;  ///< of each result, each_step apart; below 0 is as 0
  std::int64_t each_step = 1;
  std::uint32_t* members = nullptr;  ///< out
};

void slide(Simd simd, RankSet& set, const RankLine<std::uint16_t>& line);
void slide(Simd simd, RankSet& set, const RankLine<std::uint32_t>& line);

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
