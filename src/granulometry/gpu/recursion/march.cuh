// The march itself: rows of a piece come from memory, go through the steps of a pass, and go back.
#pragma once

#include <cstdint>

#include <cuda_pipeline_primitives.h>

#include "granulometry/gpu/recursion/march_plan.cuh"
#include "granulometry/gpu/recursion/results.cuh"
#include "granulometry/gpu/recursion/stored_rows.cuh"
#include "granulometry/gpu/recursion/unit_step.cuh"

namespace tamis::granulometry_detail::gpu::recursion_kernel {

/// Rows of a piece in memory. Registers are scarce: 32 bits count the rows.
template <int planes>
struct Rows {
  static constexpr int words = 2 * stored_planes(planes), edges = edge_words(planes);
  std::uint32_t row;  ///< of the first row of the first slice
  bool first, last;   ///< there is no window before, after

  __device__ Rows(const Windows& w, const Piece& piece, std::int64_t z, int volume)
      : row(static_cast<std::uint32_t>(w.row(z, piece.column, piece.first_row) + volume * w.row_count())),
        first(piece.column == 0),
        last(piece.column + 1 == w.columns) {}

  /// Starts copies of a slice and of the bits that the windows beside it lend.
  __device__ __forceinline__ void fetch(Slot<planes>& slot, const Recursion& task, std::uint32_t slice,
                                        int lane) const {
    const PlaneRows& from = task.numbers;
    const std::uint32_t at = row + slice * task.rows_of_slice;
    const uint4* const vectors = reinterpret_cast<const uint4*>(from.words + std::int64_t{at} * words) + lane;
#pragma unroll
    for (int i = 0; i < Slot<planes>::vectors_of_row; ++i) {
      __pipeline_memcpy_async(&slot.vectors[Slot<planes>::position(i * 32 + lane)], vectors + i * 32, 16);
    }
    const std::uint32_t* const before = from.edges + std::int64_t{at - task.pitch + lane} * edges;
    const std::uint32_t* const after = from.edges + std::int64_t{at + task.pitch + lane} * edges;
    if (!first) __pipeline_memcpy_async(&slot.before[lane * edges], before, sizeof(std::uint32_t) * edges);
    if (!last) __pipeline_memcpy_async(&slot.after[lane * edges], after, sizeof(std::uint32_t) * edges);
  }

  /// The row of this lane with its halo in x. Rows outside the image lie in memory too and are always 0.
  __device__ __forceinline__ WindowRow<planes> receive(const Slot<planes>& slot, int lane) const {
    WindowRow<planes> result = Row<planes>::read(slot, lane);
    std::uint32_t before[edges];
    std::uint32_t after[edges];
#pragma unroll
    for (int e = 0; e < edges; ++e) {
      before[e] = first ? 0 : slot.before[lane * edges + e];
      after[e] = last ? 0 : slot.after[lane * edges + e];
    }
    add_edges(result, before, after);
    return result;
  }

  /// Stores the own rows of a slice, through shared memory, so that lanes store neighbours.
  template <int first_own>
  __device__ __forceinline__ void store(Slot<planes>& staging, const Recursion& task, std::uint32_t slice, int lane,
                                        const WindowRow<planes>& result) const {
    const PlaneRows& to = task.numbers;
    const std::uint32_t at = row + slice * task.rows_of_slice;
    std::uint32_t own[edges];
    gather_edges(result, own);
    if (lane >= first_own && lane < 32 - first_own) {
#pragma unroll
      for (int e = 0; e < edges; ++e) to.edges[std::int64_t{at + lane} * edges + e] = own[e];
    }
    __syncwarp();
    Row<planes>::write(staging, lane, result);
    __syncwarp();
    constexpr int vectors_of_row = Slot<planes>::vectors_of_row;
    uint4* const vectors = reinterpret_cast<uint4*>(to.words + std::int64_t{at} * words) + lane;
#pragma unroll
    for (int i = 0; i < vectors_of_row; ++i) {
      const int vector = i * 32 + lane;
      if (vector >= first_own * vectors_of_row && vector < (32 - first_own) * vectors_of_row) {
        vectors[i * 32] = staging.vectors[Slot<planes>::position(vector)];
      }
    }
  }
};

/// A level that no number of so many planes exceeds stands for all that are larger still.
template <int planes>
__device__ __forceinline__ int level_of(int level) {
  return min(level, (1 << planes) - 1);
}

/// The steps of a pass in one iteration; what the iteration is to do comes as bits of Todo. The last `kept` steps keep
/// half of their state in shared memory, where there are not enough registers for all.
template <Neighbours neighbours, int planes, int count, int kept>
struct March;

template <int planes, int count, int kept>
struct March<Neighbours::Cross3, planes, count, kept> {
  CrossStep<planes> step[count];

  template <class Keep>
  __device__ __forceinline__ WindowRow<planes> advance(WindowRow<planes> row, int first_level, int todo, Keep* keep,
                                                       int lane) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const bool in_registers = i < count - kept;
      const bool compute = (todo & Todo::compute(i)) != 0;
      const bool join = (todo & Todo::join(i)) != 0;
      if constexpr (kept > 0) {
        if (!in_registers && compute) step[i].pairs = Row<planes>::read(keep[count - 1 - i], lane);
      }
      row = step[i].advance(row, level_of<planes>(first_level - i), compute, join);
      if constexpr (kept > 0) {
        if (!in_registers && join) Row<planes>::write(keep[count - 1 - i], lane, step[i].pairs);
      }
    }
    return row;
  }
};

template <int planes, int count, int kept>
struct March<Neighbours::Box3, planes, count, kept> {
  BoxStep<planes> step[count];
  template <class Keep>
  __device__ __forceinline__ WindowRow<planes> advance(WindowRow<planes> row, int first_level, int todo, Keep*, int) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      row = step[i].advance(row, level_of<planes>(first_level - i), (todo & Todo::compute(i)) != 0);
    }
    return row;
  }
};

/// Slices are independent: all steps of one at once.
template <int planes, int count, class Step>
struct FlatMarch {
  template <class Keep>
  __device__ __forceinline__ WindowRow<planes> advance(WindowRow<planes> row, int first_level, int todo, Keep*, int) {
    if ((todo & Todo::compute(0)) == 0) return row;
#pragma unroll
    for (int i = 0; i < count; ++i) row = Step().advance(row, level_of<planes>(first_level - i));
    return row;
  }
};
template <int planes, int count, int kept>
struct March<Neighbours::Cross2, planes, count, kept> : FlatMarch<planes, count, FlatCrossStep<planes>> {};
template <int planes, int count, int kept>
struct March<Neighbours::Box2, planes, count, kept> : FlatMarch<planes, count, FlatBoxStep<planes>> {};

/// Stores the own rows of a slice as samples, through shared memory, so that lanes store neighbours.
template <int planes, int first_own>
__device__ __forceinline__ void write_map(Slot<planes>& staging, const Recursion& task, const Piece& piece,
                                          std::int64_t z, int lane, const WindowRow<planes>& row) {
  constexpr int sample = planes <= 8 ? 1 : 2;
  constexpr int parts = Windows::own_x * sample / static_cast<int>(sizeof(uint2));
  static_assert(sizeof(staging) >= 32 * parts * sizeof(uint2));
  uint2* const memory = reinterpret_cast<uint2*>(&staging);
  write_samples(row, reinterpret_cast<std::uint8_t*>(memory + lane * parts));
  __syncwarp();
  std::uint8_t* const first = task.map + (z * task.schedule.windows.ny + piece.first_row) * task.map_pitch +
                              piece.column * (Windows::own_x * sample);
#pragma unroll
  for (int i = 0; i < parts; ++i) {
    const int at = i * 32 + lane;
    const int of_row = at / parts;
    if (of_row >= first_own && of_row < 32 - first_own && piece.first_row + of_row < task.schedule.windows.ny) {
      reinterpret_cast<uint2*>(first + of_row * task.map_pitch)[at % parts] = memory[at];
    }
  }
}

}  // namespace tamis::granulometry_detail::gpu::recursion_kernel
