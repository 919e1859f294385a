// What other programs count as a ball, as squares that are painted the same way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include <tamis/balls.hpp>

#include "core/cpu/parallel.hpp"
#include "granulometry/cpu/balls/roots.hpp"
#include "granulometry/cpu/balls/tile.hpp"

namespace tamis::granulometry_detail::cpu::balls {

template <class Lane, class Change>
void change_squares(const Context& context, const View<Lane>& view, Change change) {
  parallel_for(context, view.z, [&](std::int64_t z) {
    Lane* const squares = view.row(z, 0);
    for (std::int64_t i = 0; i < view.y * view.x; ++i) {
      if (squares[i] != 0) squares[i] = change(squares[i]);
    }
  });
}

/// An object voxel that is no middle of a ball but one of itself: listed radii are larger.
inline constexpr std::uint64_t no_ball = 1;

/// Squares rounded down to those of the listed radii, which increase. Returns the largest.
template <class Lane>
Lane into_listed(const Context& context, const View<Lane>& view, const std::vector<std::uint64_t>& listed,
                 Lane largest) {
  const auto rounded = [&](Lane square) {
    const auto above = std::upper_bound(listed.begin(), listed.end(), std::uint64_t{square});
    return above == listed.begin() ? static_cast<Lane>(no_ball) : static_cast<Lane>(*std::prev(above));
  };
  if constexpr (sizeof(Lane) == 2) {  // as many values as voxels of a small image at most
    std::vector<Lane> table(std::size_t{largest} + 1);
    for (std::size_t square = 1; square < table.size(); ++square) table[square] = rounded(static_cast<Lane>(square));
    change_squares(context, view, [&](Lane square) { return table[square]; });
  } else {
    change_squares(context, view, rounded);
  }
  return largest == 0 ? largest : rounded(largest);
}

/// Squares of distances as those of the balls. Returns the largest. `some_none`: voxels of `no_ball` are no balls.
template <class Lane>
Lane into_convention(const Context& context, const View<Lane>& view, BallConvention convention, Lane largest,
                     bool some_none) {
  const auto whole = [](Lane square) { return static_cast<Lane>(root(square) * root(square)); };
  switch (convention) {
    case BallConvention::Tamis:
      return largest;
    case BallConvention::Porespy:
      change_squares(context, view, whole);
      return whole(largest);
    case BallConvention::Fiji:
      // |x - y|^2 <= D2 is |x - y|^2 < D2 + 1.
      change_squares(context, view, [some_none](Lane square) {
        return some_none && square == no_ball ? square : static_cast<Lane>(square + 1);
      });
      return static_cast<Lane>(largest + 1);
  }
  return largest;
}

/// And the painted ones back.
template <class Lane>
void out_of_convention(const Context& context, const View<Lane>& view, BallConvention convention) {
  if (convention != BallConvention::Fiji) return;
  change_squares(context, view, [](Lane square) { return square == no_ball ? square : static_cast<Lane>(square - 1); });
}

}  // namespace tamis::granulometry_detail::cpu::balls
