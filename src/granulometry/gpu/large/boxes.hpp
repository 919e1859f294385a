// Sizes that planes of bits do not hold, where a volume has few of them: which boxes of the volume tell them.
//
// `top` is the largest number that the planes hold, D(x) the distance of a voxel to the background, S the voxels with
// D >= top, and T(x) the largest D(y) with |x - y| < D(y), which is the size of x. Numbers that are cut off at `top`
// give all T < top. A voxel with T >= top lies in an octahedron around a voxel of S, and the octahedra of a part of S
// that hangs together lie in one box:
//
// - D counts unit erosions, and S is what top - 1 of them leave. So D is top - 1 more than the distance to what is not
//   S, and that is at most half the shortest side of a box around the part, rounded up. Call the bound of D `reach`.
// - The box around the part, grown by reach - 1, holds the octahedra of all its voxels. With background outside of it
//   all distances are the smaller of the true one and that to the outside. The outside is `reach` or more away from the
//   part, so that the part has its true distances, and all else in the box no larger ones.
// - So no size in the box is too large, and what has T(x) = D(y) >= top there by a voxel y of the part has it still.
//
// Boxes that overlap become one that contains both, of which all of this is true as well. A voxel of S then lies in one
// box only, and with it whatever has a size of `top` and more by this voxel: nothing is counted twice.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "granulometry/gpu/windows.hpp"

namespace tamis::granulometry_detail::gpu {

/// A part of a volume, half open along z, y and x.
struct Box {
  std::array<std::int64_t, 3> begin = {}, end = {};

  [[nodiscard]] std::int64_t length(std::size_t axis) const { return end[axis] - begin[axis]; }
  bool operator==(const Box&) const = default;
};

/// Slices of one group of rows of a window in which the largest number is the largest that the planes hold.
struct TopRun {
  int column = 0;
  int group = 0;
  int begin = 0, end = 0;
};

/// Boxes that do not overlap, in which all sizes of `top` and more are told.
struct LargeBoxes {
  std::vector<Box> boxes;
  std::int64_t largest = 0;  ///< a bound of the distances

  /// The shape of a volume that has the boxes one behind the other along z. An empty slice after each of them is the
  /// background outside.
  [[nodiscard]] Windows stacked() const;
};

/// The boxes for all the runs that a volume has. Distances above `cap` count as the cap, if it is not 0.
[[nodiscard]] LargeBoxes boxes_around(const Windows& volume, const std::vector<TopRun>& runs, std::int64_t top,
                                      std::int64_t cap);

}  // namespace tamis::granulometry_detail::gpu
