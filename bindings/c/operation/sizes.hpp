// Size distributions as tables and figures.
#pragma once

#include <optional>

#include <tamis/balls.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/threshold.hpp>

#include "c/call.hpp"

namespace tamis::c {

/// Of balls their thickness, and what their radii are counted in.
struct BallFigures {
  std::optional<Thickness> thickness;
  double shortest_side = 1;
};

/// size, width [unit], volume, fraction, spectrum; and the figures of `tamis granulometry --json`, under its names.
void tell_sizes(const Call& call, const Sizes& sizes, const std::optional<BallFigures>& balls);
/// The threshold that made an object, and how large that is.
void tell_object(const Call& call, const Binary& binary);

}  // namespace tamis::c
