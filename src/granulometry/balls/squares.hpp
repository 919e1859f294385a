// Squares of radii: their roots, what other programs count as a ball, and when a ball lies in another.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/distance.hpp>

namespace tamis::granulometry_detail {

// Roots of whole numbers.

/// The largest whole number whose square is not above `square`, which is below 2^63.
[[nodiscard]] inline std::int64_t root(std::uint64_t square) {
  auto whole = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(square)));
  while (whole * whole > square) --whole;
  while ((whole + 1) * (whole + 1) <= square) ++whole;
  return static_cast<std::int64_t>(whole);
}

/// The largest number of steps of a side whose square is below `square`, which is above 0. `per_side`: 1 / side. The
/// nearest whole number to the root is that one or the next.
[[nodiscard]] inline std::int64_t steps_below(std::uint64_t square, std::int64_t side, double per_side) {
  const std::int64_t steps = std::llrint(std::sqrt(static_cast<double>(square)) * per_side);
  const auto length = static_cast<std::uint64_t>(steps * side);
  return length * length < square ? steps : steps - 1;
}

/// Sides for balls of squares up to `largest`, of which there are some: one that is longer than all radii is only just
/// so. That changes nothing, and keeps products of sides small.
[[nodiscard]] inline WholeSides reached_sides(WholeSides sides, std::uint64_t largest) {
  const std::int64_t longest = root(std::max<std::uint64_t>(largest, 1) - 1) + 1;
  for (std::int64_t* const side : {&sides.z, &sides.y, &sides.x}) *side = std::min(*side, longest);
  return sides;
}

/// Throws InputError where a convention counts in voxels and their sides differ. `flat`: disks.
void require_convention(BallConvention convention, const WholeSides& sides, bool flat);

/// An object voxel that is no middle of a ball but one of itself: listed radii are larger.
inline constexpr std::uint64_t no_ball = 1;

/// The square of the largest listed radius that is not above; the squares of radii increase.
[[nodiscard]] inline std::uint64_t listed_square(std::uint64_t square, const std::vector<std::uint64_t>& listed) {
  const auto above = std::upper_bound(listed.begin(), listed.end(), square);
  return above == listed.begin() ? no_ball : *std::prev(above);
}

/// The square of a distance as that of the ball. `some_none`: squares of `no_ball` are no balls.
[[nodiscard]] inline std::uint64_t into_convention(std::uint64_t square, BallConvention convention, bool some_none) {
  switch (convention) {
    case BallConvention::Tamis:
      return square;
    case BallConvention::Porespy: {
      const auto whole = static_cast<std::uint64_t>(root(square));
      return whole * whole;
    }
    case BallConvention::Fiji:  // |x - y|^2 <= D2 is |x - y|^2 < D2 + 1
      return some_none && square == no_ball ? square : square + 1;
  }
  return square;
}

/// And that of a painted one back.
[[nodiscard]] inline std::uint64_t out_of_convention(std::uint64_t square, BallConvention convention) {
  return convention != BallConvention::Fiji || square == no_ball ? square : square - 1;
}

// When a ball lies in that of a diagonal neighbour (Remy, Thiel 2005).

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
