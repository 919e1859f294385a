// What a map of squares says of sizes and thickness.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include <tamis/balls.hpp>

#include "granulometry/cpu/balls/tile.hpp"
#include "granulometry/tally.hpp"

namespace tamis::granulometry_detail::cpu::balls {

/// The opening that removes what a ball of this square covers: the least whole number that is no less than its radius in
/// shortest sides.
[[nodiscard]] std::int64_t removed_by(std::uint64_t square, std::int64_t shortest_side);

/// Counts; sums of radii do not depend on threads or slabs: wide squares are summed slice by slice.
struct BallTally {
  Tally tally;
  std::int64_t finite = 0;
  double sum = 0;             ///< of radii, in whole sides
  double sum_of_squares = 0;  ///< of them
  std::uint64_t largest = 0;

  void add(const BallTally& other);
};

struct TallyRule {
  std::int64_t shortest_side = 1;
  std::int64_t cap = std::numeric_limits<std::int64_t>::max();  ///< the largest number of an opening that counts
  std::uint64_t least_square = 0;                                ///< what is less has a radius of 0
};

/// Counts the squares of a view. Slices that hold the largest value of the type have infinite radii.
template <class Lane>
BallTally tally_of(const Context& context, const View<Lane>& view, const TallyRule& rule);

/// The figures of thickness; nothing where no radius is finite.
std::optional<Thickness> thickness_of(const BallTally& tally, std::int64_t shortest_side);

}  // namespace tamis::granulometry_detail::cpu::balls
