// What squares of radii say of sizes and thickness.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <tamis/balls.hpp>

#include "granulometry/tally.hpp"

namespace tamis::granulometry_detail {

/// The opening that removes what a ball of this square covers: the least whole number that is no less than its radius in
/// shortest sides.
[[nodiscard]] std::int64_t removed_by(std::uint64_t square, std::int64_t shortest_side);

struct TallyRule {
  std::int64_t shortest_side = 1;
  std::int64_t cap = std::numeric_limits<std::int64_t>::max();  ///< the largest number of an opening that counts
  std::uint64_t least_square = 0;                                ///< what is less has a radius of 0
};

/// Counts. Squares of 16 bits are counted each for itself, wider ones are summed slice by slice: so figures do not
/// depend on threads, slabs and devices.
struct BallTally {
  Tally tally;
  std::int64_t finite = 0;
  std::vector<std::int64_t> of_square;  ///< up to 65535, those that are covered
  double wide_sum = 0;                  ///< of the other radii, in whole sides
  double wide_sum_of_squares = 0;       ///< of them
  std::uint64_t largest = 0;

  void add(const BallTally& other);
  /// `count` voxels of a square that is finite and not 0.
  void add(std::uint64_t square, std::int64_t count, const TallyRule& rule);
};

/// The figures of thickness; nothing where no radius is finite.
std::optional<Thickness> thickness_of(const BallTally& tally, std::int64_t shortest_side);

}  // namespace tamis::granulometry_detail
