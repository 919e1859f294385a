// What other programs count as a ball, as squares that are painted the same way.
#pragma once

#include <cstdint>

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

/// Squares of distances as those of the balls. Returns the largest.
template <class Lane>
Lane into_convention(const Context& context, const View<Lane>& view, BallConvention convention, Lane largest) {
  const auto whole = [](Lane square) { return static_cast<Lane>(root(square) * root(square)); };
  switch (convention) {
    case BallConvention::Tamis:
      return largest;
    case BallConvention::Porespy:
      change_squares(context, view, whole);
      return whole(largest);
    case BallConvention::Fiji:
      // |x - y|^2 <= D2 is |x - y|^2 < D2 + 1.
      change_squares(context, view, [](Lane square) { return static_cast<Lane>(square + 1); });
      return static_cast<Lane>(largest + 1);
  }
  return largest;
}

/// And the painted ones back.
template <class Lane>
void out_of_convention(const Context& context, const View<Lane>& view, BallConvention convention) {
  if (convention != BallConvention::Fiji) return;
  change_squares(context, view, [](Lane square) { return static_cast<Lane>(square - 1); });
}

}  // namespace tamis::granulometry_detail::cpu::balls
