// What is decided before a voxel is touched: the axes, how many bits a square needs, how rows are shared out.
#pragma once

#include <cstdint>
#include <limits>

#include <tamis/distance.hpp>

namespace tamis::distance_detail {

/// What a lane holds where no background has been found yet. U16 is added to with saturation; sums of wider lanes must
/// not wrap, so they only use half of their range.
template <class Lane>
inline constexpr Lane unreached = sizeof(Lane) == 2 ? std::numeric_limits<Lane>::max()
                                                    : std::numeric_limits<Lane>::max() / 2;

/// Squares below this are exact in such lanes: steps along a row of U16 are counted in bytes, and 255 of them are
/// "far". Those of 64 bits leave room for a sum of three.
template <class Lane>
inline constexpr Lane exact_below = sizeof(Lane) == 2   ? Lane{255 * 255}
                                    : sizeof(Lane) == 4 ? unreached<Lane>
                                                        : std::numeric_limits<Lane>::max() / 4;

/// (side * steps)^2, or `most` where that is less.
inline std::uint64_t square_up_to(std::int64_t steps, std::int64_t side, std::uint64_t most) {
  std::uint64_t length = 0;
  std::uint64_t square = 0;
  const bool too_large = __builtin_mul_overflow(static_cast<std::uint64_t>(steps), side, &length) ||
                         __builtin_mul_overflow(length, length, &square);
  return too_large || square > most ? most : square;
}

/// One axis along which distances run.
struct Axis {
  std::int64_t count = 1;
  std::int64_t side = 1;
  bool low = false;   ///< there is background before the first sample
  bool high = false;  ///< and behind the last
};

struct Plan {
  Shape shape;
  Axis x, y, z;
  bool volume = true;  ///< distances run along z too
  WholeSides sides;
};

Plan make_plan(const Shape& shape, const WholeSides& sides, const DistanceOptions& options);
Plan make_plan(const Image& object, const DistanceOptions& options);

/// An upper bound of every finite square: to a border that is background at most half of an axis, otherwise along the
/// diagonal. Squares that 63 bits cannot hold count as the largest of these.
std::uint64_t largest_square(const Plan& plan);

/// The least square but 0 that there may be.
inline std::uint64_t least_square(const Plan& plan) {
  return square_up_to(1, plan.sides.least(plan.volume ? 3 : 2), unreached<std::uint64_t>);
}

/// Columns of a pass are worked on in blocks of lines, a line being 64 bytes of lanes side by side: as many as leave a
/// block and its result in the second-level cache.
inline constexpr std::int64_t line_bytes = 64;
std::int64_t lines_at_once(std::int64_t rows, std::int64_t lines);

/// Bytes for the distances of this image beside the image: the squares, and what threads work in.
std::int64_t bytes_needed(const Plan& plan, std::int64_t lane_bytes, int threads);

}  // namespace tamis::distance_detail
