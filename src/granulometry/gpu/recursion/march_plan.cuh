// What a warp does at each slice of its march through a piece, decided before it starts.
#pragma once

#include <cstdint>

#include "core/gpu/warp.cuh"
#include "granulometry/gpu/recursion/recursion.hpp"

namespace tamis::granulometry_detail::gpu::recursion_kernel {

// The turns that warps take, and how a turn waits for the pieces around it (recursion.hpp says why that ends).

using cuda::whole_warp;

/// A piece of the schedule: its number in each direction, and the rows and slices it covers.
struct Piece {
  int chunk, column, band;
  std::int64_t first_row;   ///< in y; the halo included
  std::int64_t begin, end;  ///< slices of its result

  __device__ Piece(const Schedule& s, int index)
      : chunk(index / s.bands / s.windows.columns),
        column(index / s.bands % s.windows.columns),
        band(index % s.bands),
        first_row(std::int64_t{band} * s.own - s.halo),
        begin(std::int64_t{chunk} * s.chunk),
        end(min(begin + s.chunk, s.windows.nz)) {}
};

/// The turns of a launch, one after the other, as a warp takes them. In shared memory: the march needs the registers.
struct Turns {
  unsigned long long before;  ///< turns of the passes before this one
  int pass, piece;
  int groups, active;  ///< that were counted; their pieces, which take part in this pass and lead the order
};

/// Takes the next turn before pass `end`; false if there is none. Lane 0 does it for all.
__device__ bool take_turn(Turns& turns, const Schedule& s, unsigned long long* taken, int end, int lane) {
  bool any = false;
  if (lane == 0) {
    const unsigned long long turn = atomicAdd(taken, 1ULL);
    while (turns.pass < end) {
      while (turns.groups <= turns.pass / s.passes_of_group) turns.active += s.members[turns.groups++];
      any = turn < turns.before + static_cast<unsigned long long>(turns.active);
      if (any) break;
      turns.before += static_cast<unsigned long long>(turns.active);
      ++turns.pass;
    }
    if (any) turns.piece = s.order[turn - turns.before];
  }
  __syncwarp();
  return __any_sync(whole_warp, any);
}

/// Waits until the pieces around (lanes 0 to 26, one each) have the earlier passes behind them: until then they write
/// what this one reads, and read what it is going to write.
__device__ void wait_for_neighbours(const Schedule& s, const Piece& piece, int pass, int lane) {
  const int chunk = piece.chunk + lane / 9 - 1;
  const int column = piece.column + lane / 3 % 3 - 1;
  const int band = piece.band + lane % 3 - 1;
  // No branches: after one the compiler takes the lanes for apart, and the march spills registers.
  const bool exists = (lane < 27) & (chunk >= 0) & (chunk < s.chunks) & (column >= 0) & (column < s.windows.columns) &
                      (band >= 0) & (band < s.bands);
  const int own = s.piece(piece.chunk, piece.column, piece.band);
  const int* const flag = s.done + (exists ? s.piece(chunk, column, band) : own);
  for (;;) {
    int done = 0;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(done) : "l"(flag) : "memory");
    if (__all_sync(whole_warp, done >= pass)) break;
    __nanosleep(2000);
  }
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/// Says that a piece has this pass behind it.
__device__ void report(const Schedule& s, const Turns& turns, int lane) {
  __syncwarp();
  if (lane != 0) return;
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(s.done + turns.piece), "r"(turns.pass + 1) : "memory");
}

constexpr int ring = 4;  ///< slots: slices on their way while one is computed

/// What a warp does in an iteration of its march: a slice enters, and each step computes the one that is behind it.
struct Todo {
  static constexpr int most_steps = 3;
  static constexpr int fetch = 0x40;
  static constexpr int store = 0x80;
  __device__ static constexpr int compute(int step) { return 1 << step; }
  /// The slice that is behind, or the one after that, has to be computed in this step.
  __device__ static constexpr int join(int step) { return 1 << (most_steps + step); }

  std::uint8_t bits;
  std::uint8_t slice;  ///< that enters, counted from the first of the halo
};

/// A slice is busy if the window has a distance above the last level of the pass. A busy slice takes part in all steps:
/// the halo in x belongs to windows with larger distances, which can wake it steps before its own distances would.
/// Slices beyond the result need fewer steps the farther away they are.
template <int lag>
__device__ int todo_of(const Schedule& s, const Piece& piece, const std::uint16_t* peaks, int last_level, int slice) {
  const auto is_busy = [&](std::int64_t z) { return z >= 0 && z < s.windows.nz && peaks[z] > last_level; };
  const auto has_step = [&](std::int64_t z, int step) {
    return z >= piece.begin - (s.steps - 1 - step) && z < piece.end + (s.steps - 1 - step) && is_busy(z);
  };
  const std::int64_t z = piece.begin - lag + slice;
  int bits = 0;
  if (z < piece.end + lag && is_busy(z)) bits |= Todo::fetch;
  if (z - lag >= piece.begin && is_busy(z - lag)) bits |= Todo::store;
  for (int step = 0; step < s.steps; ++step) {
    const std::int64_t behind = lag > 0 ? z - step - 1 : z;
    const bool compute = has_step(behind, step);
    if (compute) bits |= Todo::compute(step);
    if (compute || has_step(behind + 1, step)) bits |= Todo::join(step);
  }
  return bits;
}

/// Lists the iterations of a march, and returns their number. Where nothing is to be done for a while, one iteration
/// stays: it lets an empty slice enter, which is what the next busy one finds behind it.
template <int lag>
__device__ int plan_march(const Schedule& s, const Piece& piece, int pass, Todo* todo) {
  const auto lane = static_cast<int>(threadIdx.x);
  const int slices = static_cast<int>(piece.end - piece.begin) + 2 * lag;
  const int last_level = s.first_level(pass) - (s.steps - 1);
  const std::uint16_t* const peaks = s.peaks + (std::int64_t{piece.column} * s.bands + piece.band) * s.windows.nz;
  __syncwarp();  // lanes may still read the plan of the piece before
  int count = 0;
  int last = 0;
  for (int first = 0; first < slices; first += 32) {
    const int slice = first + lane;
    const int bits = slice < slices ? todo_of<lag>(s, piece, peaks, last_level, slice) : 0;
    const int before = __shfl_up_sync(whole_warp, bits, 1);
    const unsigned wanted = __ballot_sync(whole_warp, (bits | (lane == 0 ? last : before)) != 0);
    if (wanted >> lane & 1) {
      todo[count + __popc(wanted & ((1U << lane) - 1U))] = {static_cast<std::uint8_t>(bits),
                                                            static_cast<std::uint8_t>(slice)};
    }
    count += __popc(wanted);
    last = __shfl_sync(whole_warp, bits, 31);
  }
  if (lane < ring - 1) todo[count + lane] = {};  // asked for, and empty
  __syncwarp();
  return count;
}

}  // namespace tamis::granulometry_detail::gpu::recursion_kernel
