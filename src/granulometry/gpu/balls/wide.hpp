// Balls of squares of 32 and 64 bits: radii from 255 sides on, which voxels with long sides soon have. They go by lists
// of tiles, as others do. Where these lists are too long, or middles too far from tiles, there is one list of what is
// left of each ball, and a warp that paints each entry. `Lane`: the type of squares, which are below 2^60, so that
// lengths have 31 bits beside a tile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <tamis/gpu/array.hpp>

#include "core/gpu/stream.hpp"
#include "granulometry/balls/run.hpp"
#include "granulometry/gpu/balls/boxes.hpp"

namespace tamis::granulometry_detail::gpu::balls {

/// Whether lengths along voxels of such sides stay below 2^31.
[[nodiscard]] inline bool can_paint(const WholeSides& sides, std::uint64_t largest) {
  constexpr std::int64_t longest_side = 1 << 24;
  return std::max({sides.x, sides.y, sides.z}) <= longest_side && largest < std::uint64_t{1} << 60;
}

/// What a GPU says of others.
inline constexpr const char* too_large = "squares of balls need more than 60 bits";

/// Squares of distances, and what paints them.
template <class Lane>
struct WideTask {
  SquareRows<Lane> squares;
  const std::uint64_t* object = nullptr;  ///< bits of what is not 0
  Sides sides;
  std::uint64_t largest = 0;  ///< of the squares
};
/// From squares of distances to those of the largest balls, in place. Waits. Throws OutOfMemory.
template <class Lane>
void paint_wide(const cuda::Stream& stream, const WideTask<Lane>& task);

/// The same by one list of parts. Waits.
template <class Lane>
void paint_parts(const cuda::Stream& stream, const SquareRows<Lane>& squares, const Sides& sides);

/// In device memory, for each tile: its one segment; the largest square of a ball that has all of it, and how many
/// boxes it has, both 0 before, and afterwards how many segments; where its next box goes. And the number of all boxes.
template <class Lane>
struct WideSegments {
  Segment* segments = nullptr;
  Lane* covers = nullptr;
  std::uint32_t* counts = nullptr;
  std::uint32_t* next = nullptr;
  unsigned long long* boxes = nullptr;
};
/// Queued. `exact`: squares may be `least_exact` and more. Beyond 2^32 boxes nothing but their number is right.
template <class Lane>
void count_boxes(const cuda::Stream& stream, const WideTask<Lane>& task, bool exact,
                 const WideSegments<Lane>& segments);
/// Queued: the boxes that were counted, in lists with room for them.
template <class Lane>
void write_boxes(const cuda::Stream& stream, const WideTask<Lane>& task, bool exact, const WideSegments<Lane>& segments,
                 const ListsOf<Lane>& lists);

/// How squares of distances become those of balls, or painted ones what the convention counts.
struct WideChange {
  const std::uint64_t* listed = nullptr;  ///< squares of radii, which increase, in device memory
  int listed_count = 0;
  BallConvention convention = BallConvention::Tamis;
  bool some_none = false;  ///< squares of `no_ball` are no balls
  bool back = false;
};
/// Queued. Squares without end become 0.
template <class Lane>
void change(const cuda::Stream& stream, const SquareRows<Lane>& squares, const WideChange& change);

/// Queued: where the object's bit is 1 and the square 0 it has no end.
template <class Lane>
void show_infinite(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* object);

/// Counts squares; the largest numbers have no end. Waits.
template <class Lane>
[[nodiscard]] BallTally tally_of(const cuda::Stream& stream, const SquareRows<Lane>& squares, const TallyRule& rule);

/// Queues squares as samples of the type that the measure has; no measure: squares, as the array's type.
template <class Lane>
void write_wide(const cuda::Stream& stream, const SquareRows<Lane>& squares, const BallSizes& sizes,
                std::optional<BallMeasure> measure, const GpuOutput& out);

}  // namespace tamis::granulometry_detail::gpu::balls
