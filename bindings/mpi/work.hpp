// A granulometry that ranks share: slabs of slices, halos of bits, counts that are added up.
#pragma once

#include <tamis/operations/arguments.hpp>

#include "cli/command/shared_work.hpp"
#include "mpi/parts.hpp"
#include "mpi/ranks.hpp"

namespace tamis::mpi {

/// Called on all ranks with the same arguments, but for `map`; `with_map`: whether there is one. The answer is that of
/// one process, bit for bit. Memory of a rank: the bits of its slices and of its halo, what granulometry() takes of
/// these, and its part of the map. Throws on all ranks what goes wrong on one.
[[nodiscard]] cli::SharedSizes measure(const Ranks& ranks, const Context& context, const cli::Input& input,
                                       const GranulometryArguments& asked, Parts& parts, bool with_map,
                                       const cli::SharedMap& map);

}  // namespace tamis::mpi
