// Balls of squares of 32 bits: radii from 255 sides on, which voxels with long sides soon have. They are rare, so that
// there is one simple way for all: a list of what is left of each ball, and a warp that paints each entry.
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

/// From squares of distances to those of the largest balls, in place. Waits. Throws OutOfMemory.
void paint(const cuda::Stream& stream, const WideRows& squares, const Sides& sides);

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
