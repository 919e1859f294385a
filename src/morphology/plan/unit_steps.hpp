// Elements that repeated steps by nearest neighbours make.
#pragma once

#include <optional>

#include <tamis/element.hpp>
#include <tamis/morphology.hpp>

namespace tamis::morphology_detail {

/// 4 or 8 neighbours in the plane, 6 or 26 in space, `count` times: diamonds and octahedra, squares and cubes of odd
/// edges.
struct UnitSteps {
  bool box = false;     ///< all neighbours, not only those that share a face (in the plane: an edge)
  bool volume = false;  ///< neighbours in space
  int count = 1;
};

/// Nothing where the set is another one, or where steps are not the same as the whole under this border.
[[nodiscard]] std::optional<UnitSteps> unit_steps(const OffsetSet& set, Border::Kind border);

}  // namespace tamis::morphology_detail
