// What other programs count as a ball, as squares that are painted the same way: rules for one square each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include <tamis/balls.hpp>

#include "granulometry/balls/roots.hpp"

namespace tamis::granulometry_detail {

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

}  // namespace tamis::granulometry_detail
