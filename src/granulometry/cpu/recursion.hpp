// From distances to the size map: the descending recursion, in place, several steps a pass.
#pragma once

#include <tamis/context.hpp>

#include "core/stage.hpp"
#include "granulometry/cpu/field.hpp"
#include "granulometry/plan.hpp"
#include "granulometry/tuning.hpp"

namespace tamis::granulometry_detail::cpu {

/// Passes over the volume and strips a pass: the units of the stage's progress.
template <class Lane>
std::int64_t recursion_tasks(const Field<Lane>& field, Lane largest, const RecursionTuning& tuning);

/// Bytes the recursion needs beside a field of `z` slices.
template <class Lane>
std::int64_t recursion_bytes(const Context& context, const Grid& grid, std::int64_t z, bool chessboard,
                             const RecursionTuning& tuning);

/// `field` holds distances D up to `largest` with their peaks; afterwards it holds the size map
/// T(x) = max { D(y) : |x - y| <= D(y) - 1 }.
template <class Lane>
void recursion(const Context& context, Field<Lane>& field, const SliceRange& slices, bool chessboard, Lane largest,
               Stage& stage, const RecursionTuning& tuning);

}  // namespace tamis::granulometry_detail::cpu
