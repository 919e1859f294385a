// What squares of radii say of sizes and thickness.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <tamis/balls.hpp>

#include "granulometry/request.hpp"

namespace tamis::granulometry_detail {

/// The opening that removes what a ball of this square covers: the least whole number that is no less than its radius
/// in shortest sides.
[[nodiscard]] std::int64_t removed_by(std::uint64_t square, std::int64_t shortest_side);

struct TallyRule {
  std::int64_t shortest_side = 1;
  std::int64_t cap = std::numeric_limits<std::int64_t>::max();  ///< the largest number of an opening that counts
  std::uint64_t least_square = 0;                               ///< what is less has a radius of 0
};

/// Squares up to this, all that 16 bits hold, are counted each for itself.
inline constexpr std::uint64_t largest_counted = 65535;

/// Sums over radii of larger squares, in whole numbers: the order in which they are added does not matter.
struct WideSums {
  static constexpr double parts_of_one = 1 << 24;

  std::uint64_t whole = 0;  ///< of the whole sides of radii
  std::uint64_t parts = 0;  ///< of what is left of them, in 2^-24 sides, rounded
  std::uint64_t high = 0;   ///< of the upper 32 bits of squares
  std::uint64_t low = 0;    ///< and of the lower

  void add(const WideSums& other);
  void add(std::uint64_t square, std::int64_t count);
  [[nodiscard]] double of_radii() const;
  [[nodiscard]] double of_squares() const;
};

/// Counts; figures do not depend on threads, slabs and devices.
struct BallTally {
  Tally tally;
  std::int64_t finite = 0;
  std::vector<std::int64_t> of_square;  ///< up to 65535, those that are covered
  WideSums wide;                        ///< of the others
  std::uint64_t largest = 0;

  void add(const BallTally& other);
  /// `count` voxels of a square that is finite and not 0.
  void add(std::uint64_t square, std::int64_t count, const TallyRule& rule);

  /// As part of what parts hand on, and out of that.
  void put_into(parts::Tally& all) const;
  [[nodiscard]] static BallTally from(const parts::Tally& all);
};

/// The figures of thickness; nothing where no radius is finite.
std::optional<Thickness> thickness_of(const BallTally& tally, std::int64_t shortest_side);

}  // namespace tamis::granulometry_detail
