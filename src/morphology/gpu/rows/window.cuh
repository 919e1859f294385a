// Extrema over windows along rows that a warp holds in registers. What lies behind the last lane is of no use.
//
// First windows of one cell, at every sample; then windows of whole cells by the method of van Herk with lanes as
// blocks: what is left of the window's first lane, whole lanes in between, what is needed of its last lane; at last two
// such windows that overlap. Three extrema and about two shuffles a cell, whatever the width.
#pragma once

#include <cstddef>

#include "morphology/gpu/rows/cells.cuh"

namespace tamis::morphology_detail::gpu {

// Rows in shared memory.

constexpr int piece_bytes = 16;

/// Each lane sees only its own words: nobody waits for anybody. They lie in pieces of 16 bytes, one lane's beside the
/// next one's.
template <int words>
struct Slot {
  static_assert(words % 4 == 0);
  uint4 piece[words / 4 * 32];

  __device__ __forceinline__ Words<words> read(int lane) const {
    Words<words> row;
#pragma unroll
    for (int i = 0; i < words / 4; ++i) {
      const uint4 own = piece[i * 32 + lane];
      row.word[4 * i] = own.x;
      row.word[4 * i + 1] = own.y;
      row.word[4 * i + 2] = own.z;
      row.word[4 * i + 3] = own.w;
    }
    return row;
  }
  __device__ __forceinline__ void write(int lane, const Words<words>& row) {
#pragma unroll
    for (int i = 0; i < words / 4; ++i) {
      piece[i * 32 + lane] = make_uint4(row.word[4 * i], row.word[4 * i + 1], row.word[4 * i + 2], row.word[4 * i + 3]);
    }
  }
  /// Where a byte of the lane's words lies.
  __device__ __forceinline__ std::byte* at(int lane, int byte) {
    return reinterpret_cast<std::byte*>(piece + byte / piece_bytes * 32 + lane) + byte % piece_bytes;
  }
};

namespace row_window {

/// The words from `skip` words and `bytes` (less than 4) on.
template <int words, int skip, int n>
__device__ __forceinline__ void move_words(Words<words> (&row)[n], int bytes) {
#pragma unroll
  for (int k = 0; k < n; ++k) {
    std::uint32_t from[words + 1];
#pragma unroll
    for (int i = 0; i <= words; ++i) {
      const int at = i + skip;
      from[i] = at < words ? row[k].word[at] : __shfl_down_sync(whole_warp, row[k].word[at - words], 1);
    }
#pragma unroll
    for (int i = 0; i < words; ++i) {
      row[k].word[i] = __funnelshift_r(from[i], from[i + 1], static_cast<unsigned>(8 * bytes));
    }
  }
}
template <int words, int n, int skip = 0>
__device__ __forceinline__ void move_bytes(Words<words> (&row)[n], int bytes) {
  if constexpr (skip + 1 < words) {
    if (bytes / 4 != skip) {
      move_bytes<words, n, skip + 1>(row, bytes);
      return;
    }
  }
  move_words<words, skip>(row, bytes % 4);
}

template <class T, int cells, int n>
__device__ __forceinline__ void cells_behind(const Row<T, cells> (&row)[n], Cell<T> (&behind)[n]) {
#pragma unroll
  for (int k = 0; k < n; ++k) behind[k] = from_lane(row[k].cell[0], 1);
}

/// Windows of `width` samples, at most as many as a cell has.
template <class T, Order order, int width, int cells, int n>
__device__ __forceinline__ void within_cells(Row<T, cells> (&row)[n]) {
  Cell<T> behind[n];
  cells_behind(row, behind);
#pragma unroll
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < cells; ++i) {
      const Cell<T> next = i + 1 < cells ? row[k].cell[i + 1] : behind[k];
      Cell<T>& cell = row[k].cell[i];
      if constexpr (width == 2) {
        cell = extremum<T, order>(cell, moved<T, 1>(cell, next));
      } else if constexpr (width == 3) {
        cell = extremum<T, order>(cell, moved<T, 1>(cell, next), moved<T, 2>(cell, next));
      } else {
        // Samples 2 and 3 from here on are in both windows.
        const Cell<T> two_on = moved<T, 2>(cell, next);
        const std::uint32_t both = extremum_of_words<Compared<T>, order>(two_on.part[0], two_on.part[1]);
        const Cell<T> from = cell;
        cell.part[0] = extremum_of_words<Compared<T>, order>(from.part[0], from.part[1], both);
        cell.part[1] = extremum_of_words<Compared<T>, order>(from.part[1], both, next.part[0]);
      }
    }
  }
}

/// Takes also the windows that begin `distance` samples further on.
template <class T, Order order, int distance, int cells, int n>
__device__ __forceinline__ void overlap(Row<T, cells> (&row)[n]) {
  Cell<T> behind[n];
  cells_behind(row, behind);
#pragma unroll
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < cells; ++i) {
      const Cell<T> next = i + 1 < cells ? row[k].cell[i + 1] : behind[k];
      row[k].cell[i] = extremum<T, order>(row[k].cell[i], moved<T, distance>(row[k].cell[i], next));
    }
  }
}

/// Windows of a few cells, fewer than a lane has.
template <class T, Order order, int width, int cells, int n>
__device__ __forceinline__ void over_few_cells(Row<T, cells> (&row)[n]) {
#pragma unroll
  for (int k = 0; k < n; ++k) {
    Cell<T> all[cells + width - 1];
#pragma unroll
    for (int i = 0; i < cells; ++i) all[i] = row[k].cell[i];
#pragma unroll
    for (int i = 0; i < width - 1; ++i) all[cells + i] = from_lane(row[k].cell[i], 1);
#pragma unroll
    for (int i = 0; i < cells; ++i) {
      row[k].cell[i] = width == 2 ? extremum<T, order>(all[i], all[i + 1])
                                  : extremum<T, order>(all[i], all[i + 1], all[i + width - 1]);
    }
  }
}

/// The end of over_cells: a window that begins with the lane ends `tail` cells after its last whole lane.
template <class T, Order order, int tail, int cells, int n>
__device__ __forceinline__ void join(Row<T, cells> (&row)[n], const Cell<T> (&whole)[n], const Cell<T> (&one_more)[n],
                                     int lanes) {
#pragma unroll
  for (int k = 0; k < n; ++k) {
    Cell<T> prefix[cells];
    prefix[0] = row[k].cell[0];
#pragma unroll
    for (int i = 1; i < cells; ++i) prefix[i] = extremum<T, order>(prefix[i - 1], row[k].cell[i]);
    Cell<T> suffix[cells];
    suffix[cells - 1] = row[k].cell[cells - 1];
#pragma unroll
    for (int i = cells - 1; i-- > 0;) suffix[i] = extremum<T, order>(row[k].cell[i], suffix[i + 1]);
#pragma unroll
    for (int i = 0; i < cells; ++i) {
      const int needed = (tail + i) % cells;
      const bool more = tail + i >= cells;
      const Cell<T>& between = more ? one_more[k] : whole[k];
      row[k].cell[i] = needed == 0 ? extremum<T, order>(suffix[i], between)
                                   : extremum<T, order>(suffix[i], between,
                                                        from_lane(prefix[needed - 1], lanes + 1 + (more ? 1 : 0)));
    }
  }
}
template <class T, Order order, int cells, int n, int tail = 0>
__device__ __forceinline__ void join(Row<T, cells> (&row)[n], const Cell<T> (&whole)[n], const Cell<T> (&one_more)[n],
                                     int lanes, int wanted) {
  if constexpr (tail + 1 < cells) {
    if (wanted != tail) {
      join<T, order, cells, n, tail + 1>(row, whole, one_more, lanes, wanted);
      return;
    }
  }
  join<T, order, tail>(row, whole, one_more, lanes);
}

/// Windows of `width` cells, at least as many as a lane has.
template <class T, Order order, int cells, int n>
__device__ __forceinline__ void over_cells(Row<T, cells> (&row)[n], int width) {
  const int lanes = (width - cells) / cells;  // whole ones between the first one and the last one
  Cell<T> own[n], whole[n], one_more[n];
#pragma unroll
  for (int k = 0; k < n; ++k) {
    own[k] = row[k].cell[0];
#pragma unroll
    for (int i = 1; i < cells; ++i) own[k] = extremum<T, order>(own[k], row[k].cell[i]);
    one_more[k] = whole[k] = from_lane(own[k], 1);
  }
  if (lanes == 0) {
#pragma unroll
    for (int k = 0; k < n; ++k) whole[k] = row[k].cell[cells - 1];  // in every window anyway
  } else {
    int have = 1;
    for (; 2 * have <= lanes; have *= 2) {
#pragma unroll
      for (int k = 0; k < n; ++k) whole[k] = extremum<T, order>(whole[k], from_lane(whole[k], have));
    }
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if (have < lanes) whole[k] = extremum<T, order>(whole[k], from_lane(whole[k], lanes - have));
      one_more[k] = extremum<T, order>(whole[k], from_lane(own[k], lanes + 1));
    }
  }
  join<T, order, cells, n>(row, whole, one_more, lanes, width % cells);
}

template <class T, Order order, int cells, int n>
__device__ __forceinline__ void over_samples(Row<T, cells> (&row)[n], int width) {
  constexpr int samples = 4 / static_cast<int>(sizeof(T));
  if constexpr (samples == 4) {
    if (width == 2) return within_cells<T, order, 2>(row);
    if (width == 3) return within_cells<T, order, 3>(row);
  }
  if constexpr (samples > 1) {
    if (width >= samples) within_cells<T, order, samples>(row);
  }
  const int whole = width / samples;
  if (whole >= cells) {
    over_cells<T, order>(row, whole);
  } else if (cells == 4) {
    if (whole == 2) over_few_cells<T, order, 2>(row);
    if (whole == 3) over_few_cells<T, order, 3>(row);
  }
  const int rest = width % samples;
  if constexpr (samples > 1) {
    if (width > samples && rest == 1) overlap<T, order, 1>(row);
  }
  if constexpr (samples > 2) {
    if (width > samples && rest == 2) overlap<T, order, 2>(row);
    if (width > samples && rest == 3) overlap<T, order, 3>(row);
  }
}

}  // namespace row_window
}  // namespace tamis::morphology_detail::gpu
