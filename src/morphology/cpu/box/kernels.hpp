// The arithmetic of boxes on the CPU: extrema over runs of rows, and along blocks of rows.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "morphology/cpu/tile/sample_lanes.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::cpu {

/// Rows have at least this many bytes, so that a vector of any instruction set fits into them.
inline constexpr std::int64_t least_box_row_bytes = 64;

/// Windows of run_rows share at most so many rows; blocks of rows need not be longer.
inline constexpr std::int64_t most_window_results = 256;
/// Bytes of scratch that run_rows needs.
inline constexpr std::int64_t row_run_scratch_bytes = most_window_results * 256;

/// Rows of `stride` lanes, one after the other. Up to `over_read` (morphology/cpu/tile/extremum_kernels.hpp) and the
/// length of the run are read past the last.
template <class Lane>
struct RowBlock {
  const Lane* first = nullptr;
  std::int64_t stride = 0;
  std::int64_t rows = 0;
};

/// How a result gets to where it belongs. F32 only: Floats turns keys into numbers. Past the caches (Stream...): rows
/// are whole vectors of 64 bytes.
enum class BoxStore : std::uint8_t { Lanes, Floats, StreamLanes, StreamFloats };

/// Runs across rows.
template <class Sample>
struct RowKernels {
  using Lane = LaneOf<Sample>;
  /// out[r][i] = extremum of in[r][i] ... in[r + length - 1][i], r = 0 ... count-1. Nothing outside of the rows is read
  /// or written. next[r], where there is a `next`, are rows that will be read soon.
  void (*run_rows)(const Lane* const* in, Lane* const* out, std::int64_t count, std::int64_t length, std::int64_t lanes,
                   const Lane* const* next, Lane* scratch);
  /// The same from samples; returns whether there is NaN in what was read (the results are then of no use).
  bool (*run_sample_rows)(const Sample* const* in, Lane* const* out, std::int64_t count, std::int64_t length,
                          std::int64_t lanes, const Sample* const* next, Lane* scratch);
};
template <class Sample>
RowKernels<Sample> row_kernels(Simd simd, Order order);

/// out[r][i] = extremum of samples i ... i + length - 1 of row r of the block, r = 0 ... rows-1.
template <class Lane>
using AlongKernel = void (*)(const RowBlock<Lane>& block, std::int64_t length, void* const* out, std::int64_t lanes,
                             BoxStore store, Lane* scratch);
template <class Lane>
AlongKernel<Lane> along_kernel(Simd simd, Order order);
/// Lanes of scratch that it needs for runs of this length.
[[nodiscard]] std::int64_t run_along_scratch(std::int64_t length, std::int64_t lane_bytes);

}  // namespace tamis::morphology_detail::cpu
