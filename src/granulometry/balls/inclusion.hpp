// When a ball lies in that of a diagonal neighbour (Remy, Thiel 2005).
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/distance.hpp>

namespace tamis::granulometry_detail {

/// Neighbours by the axes in which they differ.
enum Diagonal : int { diagonal_xy, diagonal_xz, diagonal_yz, diagonal_xyz, diagonals };

/// For each square s the least square that the ball of a diagonal neighbour needs to hold the ball of s, or `never`.
/// Where the tables end no ball is known to lie in another: what is as large as that is rare.
struct Inclusion {
  static constexpr std::uint32_t never = 0xffffffff;
  std::vector<std::uint32_t> least[diagonals];

  [[nodiscard]] std::uint64_t known() const { return least[0].size(); }
};

/// Tables for squares up to `largest`, at most to 128^2.
Inclusion inclusion_tables(const WholeSides& sides, std::uint64_t largest, bool flat);

}  // namespace tamis::granulometry_detail
