// A size distribution with what made it.
#pragma once

#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include <tamis/balls.hpp>
#include <tamis/granulometry.hpp>

namespace tamis::python {

struct SizesResult {
  Sizes sizes;
  std::string element;
  std::string border;
  std::optional<Thickness> thickness = {};  ///< of balls
  double shortest_side = 1;                 ///< what it is counted in, in units of the spacing
};

/// tamis.Thickness of it, in `unit`.
[[nodiscard]] nanobind::object thickness_object(const Thickness& thickness, double shortest_side, const std::string& unit);

}  // namespace tamis::python
