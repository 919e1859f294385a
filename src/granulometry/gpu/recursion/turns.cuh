// The turns that warps take, and how a turn waits for the pieces around it (schedule.hpp says why that ends).
#pragma once

#include <cstdint>

#include "core/gpu/warp.cuh"
#include "granulometry/gpu/recursion/schedule.hpp"

namespace tamis::granulometry_detail::gpu::recursion_kernel {

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

}  // namespace tamis::granulometry_detail::gpu::recursion_kernel
