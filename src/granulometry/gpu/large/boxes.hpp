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
//
// A slab goes on beyond its open sides. A voxel v is s(v) steps from outside, 1 in the first slice; a voxel u that is
// counted has h slices before it, s(u) > h. Planes take what lies outside for object, so that their distances may be
// too large. Boxes take it for background, so that in their parts of S they have B(v) = min(D(v), s(v)). Where B is
// `top` and more the planes have `top` too, so that the boxes are around all of this S. Let h be 2 * top or more.
//
// - Cut off at `top`, v reaches u only if |u - v| < top. Then s(v) >= s(u) - (top - 1) > top, and what lies outside is
//   too far to change D(v) or B(v) below `top`. So planes are right, and have at `top` what boxes have from there on.
// - A box says too little of u only where |u - v| < D(v) and B(v) < D(v), and then B(v) = s(v). Let k be h / 2 + 1,
//   rounded up. If s(v) >= k, v itself has B(v) > h / 2. If not, let w be on the way along z from v to u, where
//   s(w) = k. As |u - v| >= h + 1 - s(v), D(v) is h + 2 - s(v) or more, and D falls by at most 1 with each of the
//   k - s(v) steps to w: D(w) >= h + 2 - k, and B(w) is more than h / 2, rounded down. This is true where v lies
//   outside as well (s(v) <= 0), and with a second open side, from which w is no nearer than u.
// - So if no box has a distance above h / 2, all sizes are right: halo_suffices(). Boxes without a counted slice are
//   left out. They have nothing to count, and need not be asked: the box of w goes on for B(w) - 1 slices beyond w,
//   which comes to the first that is counted.
// - Where distances above a cap count as the cap, and it is h / 2 or less, v reaches u only where B(v) is D(v). Where
//   it is more, B(w) is above h / 2 still.
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

/// Slices that are counted.
struct CountedSlices {
  std::int64_t begin = 0, end = 0;
};

/// Boxes that do not overlap, in which all sizes of `top` and more in the counted slices are told.
struct LargeBoxes {
  std::vector<Box> boxes;
  std::int64_t largest = 0;  ///< a bound of the distances
};

/// The boxes for all the runs that a volume has. Distances above `cap` count as the cap, if it is not 0.
[[nodiscard]] LargeBoxes boxes_around(const Windows& volume, const std::vector<TopRun>& runs, std::int64_t top,
                                      std::int64_t cap, const CountedSlices& counted);

/// Boxes one behind the other along z, which are a volume of their own. An empty slice after each of them is the
/// background outside.
struct BoxStack {
  std::vector<Box> boxes;
  CountedSlices counted;  ///< of its own slices: those that the boxes have of the counted ones

  [[nodiscard]] Windows shape() const;
};

/// Each box in one stack. A box that only begins or ends among the counted slices has to be the last or the first, so
/// there may be several stacks.
[[nodiscard]] std::vector<BoxStack> stacks_of(const std::vector<Box>& boxes, const CountedSlices& counted);

}  // namespace tamis::granulometry_detail::gpu
