// Maps of squares as conventions have them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "granulometry/balls/convention.hpp"
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

/// Squares rounded down to those of the listed radii, which increase. Returns the largest.
template <class Lane>
Lane into_listed(const Context& context, const View<Lane>& view, const std::vector<std::uint64_t>& listed,
                 Lane largest) {
  const auto rounded = [&](Lane square) { return static_cast<Lane>(listed_square(square, listed)); };
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
  if (convention == BallConvention::Tamis) return largest;
  const auto change = [&](Lane square) {
    return static_cast<Lane>(granulometry_detail::into_convention(square, convention, some_none));
  };
  change_squares(context, view, change);
  return convention == BallConvention::Fiji ? static_cast<Lane>(largest + 1) : change(largest);
}

/// And the painted ones back.
template <class Lane>
void out_of_convention(const Context& context, const View<Lane>& view, BallConvention convention) {
  if (convention != BallConvention::Fiji) return;
  change_squares(context, view, [&](Lane square) {
    return static_cast<Lane>(granulometry_detail::out_of_convention(square, convention));
  });
}

}  // namespace tamis::granulometry_detail::cpu::balls
