// Balls of squares of 32 bits: radii from 255 sides on, which voxels with long sides soon have. Up to 1024 sides they
// go by lists of tiles, as others do. Beyond, or where these lists are too long, there is one list of what is left of
// each ball, and a warp that paints each entry.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/gpu/array.hpp>

#include "core/gpu/stream.hpp"
#include "granulometry/balls/run.hpp"
#include "granulometry/gpu/balls/boxes.hpp"

namespace tamis::granulometry_detail::gpu::balls {

using WideRows = SquareRows<std::uint32_t>;

/// Squares of distances, and what paints them.
struct WideTask {
  WideRows squares;
  const std::uint64_t* object = nullptr;  ///< bits of what is not 0
  Sides sides;
  std::uint64_t largest = 0;  ///< of the squares
};
/// From squares of distances to those of the largest balls, in place. Waits. Throws OutOfMemory.
void paint_wide(const cuda::Stream& stream, const WideTask& task);

/// The same by one list of parts. Waits.
void paint_parts(const cuda::Stream& stream, const WideRows& squares, const Sides& sides);

/// In device memory, for each tile: its one segment; the largest square of a ball that has all of it, and how many
/// boxes it has, both 0 before, and afterwards how many segments; where its next box goes. And the number of all boxes.
struct WideSegments {
  Segment* segments = nullptr;
  std::uint32_t* covers = nullptr;
  std::uint32_t* counts = nullptr;
  std::uint32_t* next = nullptr;
  unsigned long long* boxes = nullptr;
};
/// Queued. Squares have to be below `least_without_tiles`. Beyond 2^32 boxes nothing but their number is right.
void count_boxes(const cuda::Stream& stream, const WideRows& squares, const Sides& sides, const WideSegments& segments);
/// Queued: the boxes that were counted, in lists with room for them.
void write_boxes(const cuda::Stream& stream, const WideRows& squares, const Sides& sides, const WideSegments& segments,
                 const ListsOf<std::uint32_t>& lists);

/// How squares of distances become those of balls, or painted ones what the convention counts.
struct WideChange {
  const std::uint32_t* listed = nullptr;  ///< squares of radii, which increase, in device memory
  int listed_count = 0;
  BallConvention convention = BallConvention::Tamis;
  bool some_none = false;  ///< squares of `no_ball` are no balls
  bool back = false;
};
/// Queued. Squares without end become 0.
void change(const cuda::Stream& stream, const WideRows& squares, const WideChange& change);

/// Queued: where the object's bit is 1 and the square 0 it has no end.
void show_infinite(const cuda::Stream& stream, const WideRows& squares, const std::uint64_t* object);

/// Counts squares; the largest numbers have no end. Waits.
[[nodiscard]] BallTally tally_of(const cuda::Stream& stream, const WideRows& squares, const TallyRule& rule);

/// Queues squares as samples of the type that the measure has; no measure: squares, U32.
void write_wide(const cuda::Stream& stream, const WideRows& squares, const BallSizes& sizes,
                std::optional<BallMeasure> measure, const GpuOutput& out);

}  // namespace tamis::granulometry_detail::gpu::balls
