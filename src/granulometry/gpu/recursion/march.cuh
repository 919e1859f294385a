// The march itself: rows of a piece come from memory, go through the steps of a pass, and go back.
#pragma once

#include <cstdint>

#include <cuda_pipeline_primitives.h>

#include "granulometry/gpu/bit_planes.cuh"
#include "granulometry/gpu/recursion/march_plan.cuh"
#include "granulometry/gpu/recursion/stored_rows.cuh"

namespace tamis::granulometry_detail::gpu::recursion_kernel {

// One unit step of one slice: each voxel above the level becomes the maximum of its neighbours, if that is larger.

/// A step where the neighbours lie along the axes. Slice s is the centre; `pairs` joins, for slice s-1, the neighbour
/// after in x with the neighbour after in z: what one voxel has after it, the voxel diagonally across has before it.
template <int planes>
struct CrossStep {
  WindowRow<planes> centre = {};
  WindowRow<planes> pairs = {};

  __device__ __forceinline__ WindowRow<planes> advance(const WindowRow<planes>& next, int level, bool active,
                                                       bool active_next) {
    WindowRow<planes> out = centre;
    if (active || active_next) {
      WindowRow<planes> now;
      now.even = maximum(centre.odd, next.even);
      now.odd = maximum(shift_down(centre.even), next.odd);
      if (active) {
        Planes<planes> around = maximum(from_lane_before(centre.even), from_lane_after(centre.even));
        around = maximum(around, maximum(now.even, shift_up(pairs.odd)));
        out.even = choose(less(centre.even, around) & beyond(centre.even, level), around, centre.even);
        around = maximum(from_lane_before(centre.odd), from_lane_after(centre.odd));
        around = maximum(around, maximum(now.odd, pairs.even));
        out.odd = choose(less(centre.odd, around) & beyond(centre.odd, level), around, centre.odd);
      }
      pairs = now;
    }
    centre = next;
    return out;
  }
};

/// A step inside a slice; the next slice is not a neighbour.
template <int planes>
struct FlatCrossStep {
  __device__ __forceinline__ WindowRow<planes> advance(const WindowRow<planes>& centre, int level) const {
    WindowRow<planes> out;
    Planes<planes> around = maximum(from_lane_before(centre.even), from_lane_after(centre.even));
    around = maximum(around, maximum(centre.odd, shift_up(centre.odd)));
    out.even = choose(less(centre.even, around) & beyond(centre.even, level), around, centre.even);
    around = maximum(from_lane_before(centre.odd), from_lane_after(centre.odd));
    around = maximum(around, maximum(centre.even, shift_down(centre.even)));
    out.odd = choose(less(centre.odd, around) & beyond(centre.odd, level), around, centre.odd);
    return out;
  }
};

/// Maximum over the 3x3 voxels of a slice.
template <int planes>
__device__ __forceinline__ WindowRow<planes> maximum_in_slice(const WindowRow<planes>& row) {
  const Planes<planes> both = maximum(row.even, row.odd);
  WindowRow<planes> result;
  result.even = maximum(both, shift_up(row.odd));
  result.odd = maximum(both, shift_down(row.even));
  result.even = maximum(result.even, maximum(from_lane_before(result.even), from_lane_after(result.even)));
  result.odd = maximum(result.odd, maximum(from_lane_before(result.odd), from_lane_after(result.odd)));
  return result;
}

template <int planes>
struct FlatBoxStep {
  __device__ __forceinline__ WindowRow<planes> advance(const WindowRow<planes>& centre, int level) const {
    const WindowRow<planes> around = maximum_in_slice(centre);
    WindowRow<planes> out;
    out.even = choose(beyond(centre.even, level), around.even, centre.even);
    out.odd = choose(beyond(centre.odd, level), around.odd, centre.odd);
    return out;
  }
};

/// A step over all 26 neighbours: `flat` is the slice's own maximum, `behind` that of it and the slice before.
template <int planes>
struct BoxStep {
  WindowRow<planes> centre = {};
  WindowRow<planes> flat = {};
  WindowRow<planes> behind = {};

  __device__ __forceinline__ WindowRow<planes> advance(const WindowRow<planes>& next, int level, bool active) {
    const WindowRow<planes> flat_next = maximum_in_slice(next);
    WindowRow<planes> out = centre;
    if (active) {
      out.even = choose(beyond(centre.even, level), maximum(behind.even, flat_next.even), centre.even);
      out.odd = choose(beyond(centre.odd, level), maximum(behind.odd, flat_next.odd), centre.odd);
    }
    behind.even = maximum(flat.even, flat_next.even);
    behind.odd = maximum(flat.odd, flat_next.odd);
    flat = flat_next;
    centre = next;
    return out;
  }
};

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
