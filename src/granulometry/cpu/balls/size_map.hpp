// From a map of squares to the square of the largest ball that covers each voxel, in place.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/distance.hpp>

#include "core/stage.hpp"
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

}  // namespace tamis::granulometry_detail::cpu::balls
