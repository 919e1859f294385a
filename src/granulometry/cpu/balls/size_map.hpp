// Maps of squares: from the square of each voxel to that of the largest ball that covers it, counts, and conventions.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/distance.hpp>

#include "core/cpu/parallel.hpp"
#include "core/stage.hpp"
#include "granulometry/balls/squares.hpp"
#include "granulometry/balls/tally.hpp"
#include "granulometry/cpu/balls/tile.hpp"

namespace tamis::granulometry_detail::cpu::balls {

/// T2(x) = max { s(y) : |x - y|^2 < s(y) } where s(x) > 0; 0 elsewhere. `flat`: y in the slice of x. `largest` is the
/// largest s. Slices are tasks of `stage` (layers of 32 of them).
template <class Lane>
void size_map(const Context& context, const View<Lane>& view, const WholeSides& sides, bool flat, Lane largest,
              Stage& stage);

/// Tasks that size_map() reports of so many slices.
[[nodiscard]] std::int64_t size_map_tasks(std::int64_t slices);

/// Bytes that lists of balls may take, a generous guess: what noise needs.
[[nodiscard]] std::int64_t list_bytes(std::int64_t row_samples, std::int64_t rows, std::int64_t slices, std::int64_t lane_bytes);

// Counts the squares of a map.

/// Counts the squares of a view. Slices that hold the largest value of the type have infinite radii.
template <class Lane>
BallTally tally_of(const Context& context, const View<Lane>& view, const TallyRule& rule);

// Maps of squares as conventions have them.

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
