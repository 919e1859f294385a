// Balls of a piece of slices, and what all pieces come to.
#pragma once

#include <cstdint>
#include <optional>

#include <tamis/balls.hpp>
#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "mpi/bits.hpp"
#include "mpi/parts.hpp"
#include "mpi/ranks.hpp"

namespace tamis::mpi {

/// A piece of slices and how far around it the bits of a slab go. Both ranges count slices of the volume.
struct PieceInSlab {
  Ranks::Range piece, slab;
  std::int64_t halo = 0;  ///< slices on either side, fewer at the ends of the volume
  bool cut = false;       ///< the volume goes on beyond the slab
};

/// What the balls of a piece come to, its squares among it if `with_map`; nothing where the halo is too short. At cut
/// sides the slab ends as the volume does at its own.
[[nodiscard]] std::optional<Part> measure_balls(const Context& context, const BallOptions& options, const Slab& slab,
                                                const PieceInSlab& where, bool with_map);

/// Sizes of the whole volume, of voxels `object` in a domain of `domain`. `all`: what its parts come to.
[[nodiscard]] BallSizes sizes_of_balls(const BallOptions& options, const Shape& shape, const Spacing& spacing,
                                       const parts::Tally& all, std::int64_t object, std::int64_t domain);

}  // namespace tamis::mpi
