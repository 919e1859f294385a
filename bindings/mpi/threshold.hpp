// One threshold for all ranks.
#pragma once

#include <tamis/context.hpp>
#include <tamis/threshold.hpp>

#include "cli/input/image.hpp"
#include "mpi/ranks.hpp"

namespace tamis::mpi {

/// The value that separates object and background, the same on all ranks: of the histogram of the whole volume, to
/// which each rank adds that of its slices `own`. `has_some`: whether a sample of these counts. Throws on all ranks
/// where the samples say no value.
[[nodiscard]] ThresholdOptions settled(const Ranks& ranks, const Context& context, const cli::Input& input,
                                       const Ranks::Range& own, bool has_some, const ThresholdOptions& asked);

}  // namespace tamis::mpi
