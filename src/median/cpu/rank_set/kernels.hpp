// The window as a set of ranks, sliding along a line.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>

namespace tamis::median_detail::cpu {

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

}  // namespace tamis::median_detail::cpu
