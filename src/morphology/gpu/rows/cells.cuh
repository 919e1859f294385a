// Rows of samples in the registers of a warp. A lane holds neighbouring cells, a cell 4 bytes of samples in the form in
// which the GPU compares them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "morphology/gpu/samples.cuh"

namespace tamis::morphology_detail::gpu {

/// Bytes lie in two words of 16-bit numbers whose upper byte decides: first those of even index, moved up, then those
/// of odd index, which stay where they are. Every other sample compares as it lies in its word.
template <class T>
struct Cell {
  static constexpr int parts = std::is_same_v<T, std::uint8_t> ? 2 : 1;
  std::uint32_t part[parts];
};
/// What a part is compared as.
template <class T>
using Compared = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::uint16_t, T>;

template <class T>
__device__ __forceinline__ Cell<T> cell_of(std::uint32_t word) {
  if constexpr (Cell<T>::parts == 2) {
    return {{word * 256U, word}};
  } else {
    return {{word}};
  }
}
template <class T>
__device__ __forceinline__ std::uint32_t word_of(const Cell<T>& cell) {
  if constexpr (Cell<T>::parts == 2) {
    return __byte_perm(cell.part[0], cell.part[1], 0x7351);
  } else {
    return cell.part[0];
  }
}

template <class T, Order order>
__device__ __forceinline__ Cell<T> extremum(const Cell<T>& a, const Cell<T>& b) {
  Cell<T> result;
#pragma unroll
  for (int i = 0; i < Cell<T>::parts; ++i) {
    result.part[i] = extremum_of_words<Compared<T>, order>(a.part[i], b.part[i]);
  }
  return result;
}
template <class T, Order order>
__device__ __forceinline__ Cell<T> extremum(const Cell<T>& a, const Cell<T>& b, const Cell<T>& c) {
  Cell<T> result;
#pragma unroll
  for (int i = 0; i < Cell<T>::parts; ++i) {
    result.part[i] = extremum_of_words<Compared<T>, order>(a.part[i], b.part[i], c.part[i]);
  }
  return result;
}

/// The samples from `distance` (less than a cell has) on, of which the last ones lie in the cell behind.
template <class T, int distance>
__device__ __forceinline__ Cell<T> moved(const Cell<T>& cell, const Cell<T>& behind) {
  const auto halves = [&](int i) { return __funnelshift_r(cell.part[i], behind.part[i], 16); };
  if constexpr (distance == 0) {
    return cell;
  } else if constexpr (Cell<T>::parts == 1) {
    return {{halves(0)}};
  } else if constexpr (distance == 1) {
    return {{cell.part[1], halves(0)}};
  } else if constexpr (distance == 2) {
    return {{halves(0), halves(1)}};
  } else {
    return {{halves(1), behind.part[0]}};
  }
}

constexpr unsigned whole_warp = ~0U;

/// The cell that a lane further on holds.
template <class T>
__device__ __forceinline__ Cell<T> from_lane(const Cell<T>& cell, int lanes) {
  return cell_of<T>(__shfl_down_sync(whole_warp, word_of(cell), lanes));
}

template <class T, int cells>
struct Row {
  Cell<T> cell[cells];
};

template <class T, Order order, int cells>
__device__ __forceinline__ Row<T, cells> extremum(const Row<T, cells>& a, const Row<T, cells>& b) {
  Row<T, cells> result;
#pragma unroll
  for (int i = 0; i < cells; ++i) result.cell[i] = extremum<T, order>(a.cell[i], b.cell[i]);
  return result;
}

template <class T, Order order, int cells>
__device__ __forceinline__ Row<T, cells> extremum(const Row<T, cells>& a, const Row<T, cells>& b,
                                                  const Row<T, cells>& c) {
  Row<T, cells> result;
#pragma unroll
  for (int i = 0; i < cells; ++i) result.cell[i] = extremum<T, order>(a.cell[i], b.cell[i], c.cell[i]);
  return result;
}

/// The same as it lies in memory.
template <int words>
struct Words {
  std::uint32_t word[words];
};

template <class T, int cells>
__device__ __forceinline__ Row<T, cells> row_of(const Words<cells>& words) {
  Row<T, cells> row;
#pragma unroll
  for (int i = 0; i < cells; ++i) row.cell[i] = cell_of<T>(words.word[i]);
  return row;
}
template <class T, int cells>
__device__ __forceinline__ Words<cells> words_of(const Row<T, cells>& row) {
  Words<cells> words;
#pragma unroll
  for (int i = 0; i < cells; ++i) words.word[i] = word_of(row.cell[i]);
  return words;
}

// How warps that walk down an image share its rows.

/// How many rows of the result a warp makes, of `rows` in each of `columns`, where `resident` warps run at the same
/// time: a window of `height` rows wants long chunks, the device wants to be full until the end.
inline int chunk_rows(std::int64_t rows, int height, std::int64_t columns, std::int64_t resident) {
  constexpr std::int64_t start = 24;  // what a warp's first rows wait for, in rows
  constexpr std::int64_t most_turns = 8;
  std::int64_t best = rows;
  std::int64_t least = -1;
  for (std::int64_t turns = 1; turns <= most_turns; ++turns) {
    const std::int64_t chunks = std::clamp<std::int64_t>(turns * resident / columns, 1, rows);
    const std::int64_t chunk = (rows + chunks - 1) / chunks;
    const std::int64_t turns_taken = (columns * ((rows + chunk - 1) / chunk) + resident - 1) / resident;
    // Warps do not end together: half a turn more.
    const std::int64_t time = (2 * turns_taken + 1) * (chunk + height - 1 + start);
    if (least < 0 || time < least) {
      least = time;
      best = chunk;
    }
  }
  return static_cast<int>(best);
}

}  // namespace tamis::morphology_detail::gpu
