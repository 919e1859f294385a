// Erosion and dilation along the lines of a tile, in place.
#pragma once

#include "line/traced/gpu/work.cuh"

namespace tamis::line_detail::gpu {
namespace tile {

/// Extrema of rows that windows take as one.
template <class T, int threads, bool min>
__device__ inline void sum_rows(const Place& place, const Memory& memory) {
  const int w = static_cast<int>(threadIdx.x) % row_words;
  for (int b = static_cast<int>(threadIdx.x) / row_words; b < place.rows / summed_rows; b += rows_at_once<threads>) {
    const std::uint32_t* const words = memory.words + b * summed_rows * pitch_words + w;
    const auto cell = [&](int i) { return cell_of<T>(words[i * pitch_words]); };
    Cell<T> all = extremum<T, min>(cell(0), cell(1));
#pragma unroll
    for (int i = 2; i < summed_rows; i += 2) all = extremum<T, min>(all, cell(i), cell(i + 1));
    memory.blocks[b * row_words + w] = word_of(all);
  }
}

/// Takes `count` words, `step` apart, into an extremum.
template <class T, bool min>
__device__ __forceinline__ void take(Cell<T>& run, const std::uint32_t* words, int step, int count) {
#pragma unroll 1
  for (; count > 1; count -= 2) {
    run = extremum<T, min>(run, cell_of<T>(words[0]), cell_of<T>(words[step]));
    words += 2 * step;
  }
  if (count > 0) run = extremum<T, min>(run, cell_of<T>(words[0]));
}

/// Rows of a thread, as they lie in memory.
struct Rows {
  std::uint32_t word[block_rows];
};

/// Minima over `length` rows from each of a thread's 16 on, which begin at row t. `block` rows share their extrema:
/// block < length <= 2 block, or block is 16 and length anything more.
template <class T, int block>
__device__ __forceinline__ Rows windows_ahead(const Memory& memory, int t, int w, int length) {
  Rows result;
  const std::uint32_t* const words = memory.words + w;
  const int between = length - 1 - block;  // rows after the block's last, before its first window's last
#pragma unroll
  for (int s = 0; s < block_rows; s += block) {
    Cell<T> to_end[block];
#pragma unroll
    for (int i = 0; i < block; ++i) to_end[i] = cell_of<T>(words[(t + s + i) * pitch_words]);
#pragma unroll
    for (int i = block - 2; i >= 0; --i) to_end[i] = extremum<T, true>(to_end[i], to_end[i + 1]);
    const int after = t + s + block;
    Cell<T> run = to_end[block - 1];
    int summed = 0;
    if constexpr (block == block_rows) {
      summed = between / summed_rows;
      take<T, true>(run, memory.blocks + after / summed_rows * row_words + w, row_words, summed);
    }
    const int row = after + summed * summed_rows;
    take<T, true>(run, words + row * pitch_words, pitch_words, after + between - row);
    const std::uint32_t* const last = words + (after + between) * pitch_words;
#pragma unroll
    for (int i = 0; i < block; ++i) {
      run = extremum<T, true>(run, cell_of<T>(last[i * pitch_words]));
      result.word[s + i] = word_of(extremum<T, true>(to_end[i], run));
    }
  }
  return result;
}

/// Maxima over `length` rows that end with each of a thread's 16. Rows before the tile's first are not needed.
template <class T, int block>
__device__ __forceinline__ Rows windows_behind(const Memory& memory, int t, int w, int length) {
  Rows result;
  const std::uint32_t* const words = memory.words + w;
  const int between = length - 1 - block;
#pragma unroll
  for (int s = 0; s < block_rows; s += block) {
    Cell<T> from_start[block];
#pragma unroll
    for (int i = 0; i < block; ++i) from_start[i] = cell_of<T>(words[(t + s + i) * pitch_words]);
#pragma unroll
    for (int i = 1; i < block; ++i) from_start[i] = extremum<T, false>(from_start[i], from_start[i - 1]);
    const int before = t + s - 1;
    Cell<T> run = from_start[0];
    int summed = 0;
    if constexpr (block == block_rows) {
      summed = min(between, before + 1) / summed_rows;
      take<T, false>(run, memory.blocks + ((before + 1) / summed_rows - 1) * row_words + w, -row_words, summed);
    }
    const int row = before - summed * summed_rows;
    take<T, false>(run, words + row * pitch_words, -pitch_words, row - max(before - between, -1));
    const int first = before - between;
#pragma unroll
    for (int i = block - 1; i >= 0; --i) {
      const int at = max(first - (block - 1) + i, 0);
      run = extremum<T, false>(run, cell_of<T>(words[at * pitch_words]));
      result.word[s + i] = word_of(extremum<T, false>(from_start[i], run));
    }
  }
  return result;
}

__device__ __forceinline__ void put_rows(const Memory& memory, int t, int w, const Rows& rows) {
  std::uint32_t* const words = memory.words + t * pitch_words + w;
#pragma unroll
  for (int i = 0; i < block_rows; ++i) words[i * pitch_words] = rows.word[i];
}

/// What lies outside of the image is no result of an erosion: row t holds that of position k0 + t + origin.
template <class T>
__device__ __forceinline__ void leave_out(const Work& work, const Place& place, const Memory& memory, int t, int w,
                                          Rows& rows) {
#pragma unroll
  for (int i = 0; i < block_rows; ++i) {
    const int at = t + i + work.origin;
    const int k = place.k0 + at;
    const int shift = at < place.rows ? memory.shift[at] : 0;
    const std::uint32_t keep = at < place.rows ? bits_inside<T>(place, k, shift, w) : 0U;
    rows.word[i] = (rows.word[i] & keep) | (work.lowest & ~keep);
  }
}

/// Row t becomes the erosion of position k0 + t + origin. In rising order: later rows read later rows only.
template <class T, int threads, int block>
__device__ inline void erode(const Work& work, const Place& place, const Memory& memory) {
  const int w = static_cast<int>(threadIdx.x) % row_words;
  const int needed = (place.last - place.k0) / block_rows + 1;
  for (int first = 0; first < needed; first += rows_at_once<threads>) {
    const int b = first + static_cast<int>(threadIdx.x) / row_words;
    Rows rows;
    if (b < needed) rows = windows_ahead<T, block>(memory, b * block_rows, w, work.length);
    __syncthreads();
    if (b < needed) {
      if (!place.inside && work.opens) leave_out<T>(work, place, memory, b * block_rows, w, rows);
      put_rows(memory, b * block_rows, w, rows);
    }
  }
  if (!work.opens) return;
  const int whole = (place.end - 1 - place.k0) / block_rows + 1;
  for (int b = needed + static_cast<int>(threadIdx.x) / row_words; b < whole; b += rows_at_once<threads>) {
    Rows rows;
#pragma unroll
    for (std::uint32_t& word : rows.word) word = work.lowest;
    put_rows(memory, b * block_rows, w, rows);
  }
}

/// Row t becomes the opening of position k0 + t. In falling order.
template <class T, int threads, int block>
__device__ inline void dilate(const Work& work, const Place& place, const Memory& memory) {
  const int w = static_cast<int>(threadIdx.x) % row_words;
  const int least = (place.first - place.k0) / block_rows;
  for (int last = (place.end - 1 - place.k0) / block_rows; last >= least; last -= rows_at_once<threads>) {
    const int b = last - static_cast<int>(threadIdx.x) / row_words;
    Rows rows;
    if (b >= least) rows = windows_behind<T, block>(memory, b * block_rows, w, work.length);
    __syncthreads();
    if (b >= least) put_rows(memory, b * block_rows, w, rows);
  }
}

}  // namespace tile
}  // namespace tamis::line_detail::gpu
