// Programs for segments.
#pragma once

#include <optional>

#include <tamis/element.hpp>

#include "morphology/plan/program.hpp"

namespace tamis::morphology_detail {

/// For a set with one offset at each of n coordinates in a row along an axis, as digital segments have. A straight
/// digital line holds few different pieces of a length (at most one more than the length, and some come often), so the
/// whole is covered by a few displaced copies of one piece, and that piece by copies of a shorter one. Nothing for
/// other sets and for segments of few or very many offsets. Time O(n^2).
[[nodiscard]] std::optional<Program> try_chain(const OffsetSet& set);

}  // namespace tamis::morphology_detail
