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

// The arithmetic of the distance transform on single rows; distance.cpp says which rows and in what order.

template <class Lane>
struct RowKernels {
  /// Distance along a row of `count` lanes, by doubling. `from` holds 0 or an upper bound, and both buffers have
  /// `reach` lanes before and behind the row that say what lies beyond it. Returns the buffer with the result.
  Lane* (*scan_row)(Lane* from, Lane* to, std::int64_t count, std::int64_t reach);
  /// row = min(row, from + 1). Returns whether a lane changed.
  bool (*relax_row)(Lane* row, const Lane* from, std::int64_t count);
  /// to[i] = min(from[i-1], from[i], from[i+1])
  void (*min_of_three)(const Lane* from, Lane* to, std::int64_t count);
  /// Lanes whose bit is 0 become `value`.
  void (*mask_row)(Lane* row, const std::uint64_t* bits, std::int64_t count, Lane value);
  /// Bounds the lanes of `rows` rows by `cap` and notes the maximum of each line over these rows.
  void (*finish_block)(Lane* first, std::int64_t stride, std::int64_t rows, Lane* peaks, std::int64_t lines, Lane cap);
};

/// The kernels for an instruction set.
template <class Lane>
RowKernels<Lane> row_kernels(Simd simd);

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
