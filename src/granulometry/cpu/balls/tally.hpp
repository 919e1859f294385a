// Counts the squares of a map.
#pragma once

#include <tamis/context.hpp>

#include "granulometry/balls/tally.hpp"
#include "granulometry/cpu/balls/tile.hpp"

namespace tamis::granulometry_detail::cpu::balls {

/// Counts the squares of a view. Slices that hold the largest value of the type have infinite radii.
template <class Lane>
BallTally tally_of(const Context& context, const View<Lane>& view, const TallyRule& rule);

}  // namespace tamis::granulometry_detail::cpu::balls
