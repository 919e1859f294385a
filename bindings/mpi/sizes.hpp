// Crosses, squares and cubes of a piece of slices, and their numbers in a wider map. Balls are in balls.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <tamis/context.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

#include "mpi/balls.hpp"
#include "mpi/bits.hpp"
#include "mpi/parts.hpp"

namespace tamis::mpi {

/// What the sizes of a piece come to, its map among it if `with_map`; nothing where the halo is too short. At cut sides
/// the slab ends as the volume does at its own: distances that half of the halo covers are those of the volume all the
/// same.
[[nodiscard]] std::optional<Part> measure_sizes(const Context& context, const GranulometryOptions& options,
                                                const Slab& slab, const PieceInSlab& where, bool with_map);

/// Numbers of a part's map as those of the whole map, of which `never_value`, if above 0, stands for what never erodes
/// and becomes `top`.
void widen(const std::byte* from, Type type, std::byte* to, Type wide, std::int64_t samples, std::int64_t never_value,
           std::int64_t top);

}  // namespace tamis::mpi
