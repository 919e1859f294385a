// A block of threads works on a bundle of neighbouring lines, a stretch of them in shared memory: a row of the tile is
// one position along the lines, its 16 words are the lines side by side. Steep lines come in row by row, each moved by
// its shift; shallow ones in squares that are turned, because their neighbours lie one above the other.
//
// Along the lines the method of van Herk, for windows of L rows from each row on: a thread has `block` rows of one word
// in registers, extrema from each row to the last of them; what comes after them it runs through once, so that the
// extremum up to the window's end is there when it is needed. Whole blocks of 8 rows in between are read as one.
#pragma once

#include "line/traced/gpu/load.cuh"
#include "line/traced/gpu/store.cuh"
#include "line/traced/gpu/windows.cuh"

namespace tamis::line_detail::gpu {
namespace tile {

template <class T, int threads, int block>
__global__ void __launch_bounds__(threads, 1024 / threads) traced_kernel(const __grid_constant__ Work work) {
  extern __shared__ std::uint32_t memory_words[];
  Place place;
  if (!find_place<T>(work, place)) return;
  const Memory memory(memory_words, work.rows);
  for (int t = static_cast<int>(threadIdx.x); t < place.rows; t += threads) {
    memory.shift[t] = shift_at(place.angle, place.k0 + t);
  }
  __syncthreads();
  Seen seen;
  load<T, threads>(work, place, memory, seen);
  if (seen.nan && work.nan) *work.nan = 1;
  __syncthreads();
  if constexpr (block > 0) {
    const bool sums = block == block_rows && work.length > block_rows + summed_rows;
    if (sums) {
      sum_rows<T, threads, true>(place, memory);
      __syncthreads();
    }
    erode<T, threads, block>(work, place, memory);
    __syncthreads();
    if (work.opens) {
      if (sums) {
        sum_rows<T, threads, false>(place, memory);
        __syncthreads();
      }
      dilate<T, threads, block>(work, place, memory);
      __syncthreads();
    }
  }
  if (!work.counts) return store<T, threads, true, false>(work, place, memory);
  if (!work.to) return store<T, threads, false, true>(work, place, memory);
  store<T, threads, true, true>(work, place, memory);
}

}  // namespace tile
}  // namespace tamis::line_detail::gpu
