// Distance to the background in the metric of the unit element: how many unit erosions remove a voxel.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "granulometry/cpu/field.hpp"
#include "granulometry/plan.hpp"

namespace tamis::granulometry_detail::cpu {

/// What of the object a field covers, and what surrounds it.
struct DistanceTask {
  const Image* object = nullptr;  ///< Bool
  const Image* domain = nullptr;  ///< Bool (all slices or one), only under a neutral border; else nullptr
  std::int64_t first_row = 0;     ///< the field's row (0, 0) is row `first_row` of the image, counting z * y + y
  Grid grid;                      ///< of one batch item, z of the whole image
  std::int64_t z0 = 0;            ///< slices z0 .. z0 + field.z() - 1 of the grid are in the field
  bool chessboard = false;        ///< cube and square; otherwise the city-block metric of the cross
  bool neutral = false;           ///< outside the domain never erodes
  std::uint32_t cap = 0;          ///< larger distances become this one; 0: none
};

/// Fills `field` with distances and its peaks with the maxima of lines; returns the largest distance. Lanes that no
/// background reaches hold unreached<Lane>. Slices beyond the field that exist in the grid are taken as unreachable,
/// so distances are upper bounds, exact where they do not exceed the distance to such a cut.
/// Exact: per row by doubling, then forward and backward along y and z; under a domain repeated until nothing changes.
template <class Lane>
Lane distance(const Context& context, const DistanceTask& task, Field<Lane>& field, Stage& stage);

}  // namespace tamis::granulometry_detail::cpu
