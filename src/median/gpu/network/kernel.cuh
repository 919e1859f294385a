// The kernel of networks.
#pragma once

#include <cstdint>
#include <type_traits>

#include "median/gpu/network/lists.cuh"
#include "median/gpu/network/rows.cuh"

namespace tamis::median_detail::gpu {

// Ranks in square windows in tiles of four columns and two rows of results (after Adams 2021 and Sugy 2025):
// what all windows of a tile share is sorted once, then the tile is halved, and halved again.

inline constexpr int tile_rows = 2;
inline constexpr int tile_columns = 4;
/// Columns (rows) that the windows of a tile see.
template <int edge>
inline constexpr int seen_columns = edge + tile_columns - 1;
template <int edge>
inline constexpr int seen_rows = edge + tile_rows - 1;

/// The samples of `edge` columns of q samples each, for each place of a tile: what can still have the rank.
template <class Cell, int edge, int q, int total, int rank>
struct TileWindows {
  Candidates<Cell, total, rank, edge * q> of[tile_columns];
};

/// `column[first]` ... `column[first + count - 1]` in order.
template <class Cell, int total, int rank, int first, int count, int q, int columns>
__device__ __forceinline__ Candidates<Cell, total, rank, count * q> joined(const List<Cell, q> (&column)[columns]) {
  if constexpr (count == 1) {
    return candidates<Cell, total, rank>(column[first]);
  } else if constexpr (count % 2 == 1) {
    return grown(joined<Cell, total, rank, first, count - 1>(column), column[first + count - 1]);
  } else if constexpr (count == 2) {
    return candidates<Cell, total, rank>(merge<Cell>(column[first], column[first + 1]));
  } else if constexpr (count % 4 == 2) {
    return grown(joined<Cell, total, rank, first, count - 2>(column),
                 merge<Cell>(column[first + count - 2], column[first + count - 1]));
  } else {
    constexpr int all = 2 * count * q + 1;  // of which none is left out
    return grown(joined<Cell, total, rank, first, count / 2>(column),
                 joined<Cell, all, count * q, first + count / 2, count / 2>(column).list);
  }
}

/// `column[c]` is in order; place i sees columns i ... i + edge - 1.
template <class Cell, int edge, int q, int total, int rank>
__device__ __forceinline__ TileWindows<Cell, edge, q, total, rank> tile_windows(
    const List<Cell, q> (&column)[seen_columns<edge>]) {
  TileWindows<Cell, edge, q, total, rank> out;
  // Places 0 and 1 share columns 1 ... edge - 1, places 2 and 3 columns 3 ... edge + 1, all of them 3 ... edge - 1.
  const auto pair = [&](int c) { return merge<Cell>(column[c], column[c + 1]); };
  const auto finish = [&](const auto& left, const auto& right) {
    out.of[0] = grown(left, column[0]);
    out.of[1] = grown(left, column[edge]);
    out.of[2] = grown(right, column[2]);
    out.of[3] = grown(right, column[edge + 2]);
  };
  if constexpr (edge == 2) {
    finish(candidates<Cell, total, rank>(column[1]), candidates<Cell, total, rank>(column[3]));
  } else if constexpr (edge == 3) {
    finish(candidates<Cell, total, rank>(pair(1)), candidates<Cell, total, rank>(pair(3)));
  } else {
    const auto common = joined<Cell, total, rank, 3, edge - 3>(column);
    finish(grown(common, pair(1)), grown(common, pair(edge)));
  }
  return out;
}

/// Results of a tile: medians, or with `any_rank` those of the rank. `cell[r][c]` are the `depth` samples in order at
/// row r and column c of those that the tile sees.
template <class Cell, int edge, int depth, bool any_rank>
__device__ __forceinline__ void tile_ranks(const List<Cell, depth> (&cell)[seen_rows<edge>][seen_columns<edge>],
                                           int rank, typename Cell::Value (&out)[tile_rows][tile_columns]) {
  constexpr int common_rows = edge - 1, common_samples = edge * common_rows * depth;
  // Of `all` samples, with the rank in the middle, fewer than half are ever seen: none is left out.
  constexpr int all = 2 * common_samples + 1;
  constexpr int total = any_rank ? all : edge * edge * depth, middle = total / 2;
  List<Cell, common_rows * depth> column[seen_columns<edge>];
#pragma unroll
  for (int c = 0; c < seen_columns<edge>; ++c) {
    if constexpr (depth == 1) {
#pragma unroll
      for (int r = 0; r < common_rows; ++r) column[c].v[r] = cell[r + 1][c].v[0];
      column[c] = sorted<Cell>(column[c]);
    } else {
      static_assert(edge == 3, "of volumes only cubes of 3");
      column[c] = merge<Cell>(cell[1][c], cell[2][c]);
    }
  }
  const auto common = tile_windows<Cell, edge, common_rows * depth, total, middle>(column);
  using Common = Range<total, middle, common_samples>;
#pragma unroll
  for (int r = 0; r < tile_rows; ++r) {
    // The row that only this one sees; of it nothing can be left out.
    List<Cell, depth> row[seen_columns<edge>];
#pragma unroll
    for (int c = 0; c < seen_columns<edge>; ++c) row[c] = cell[r == 0 ? 0 : edge][c];
    const auto own = tile_windows<Cell, edge, depth, all, common_samples>(row);
#pragma unroll
    for (int i = 0; i < tile_columns; ++i) {
      if constexpr (any_rank) {
        out[r][i] = select_at<Cell>(rank, common.of[i].list, own.of[i].list);
      } else {
        out[r][i] = select<Cell, middle - Common::first>(common.of[i].list, own.of[i].list);
      }
    }
  }
}

/// Medians of a tile of 3 x 3: the median of the greatest of the lows, the median of the mids and the least of the
/// highs of three columns in order. The middle two of four rows are ordered once for both rows of results.
template <class Cell>
__device__ __forceinline__ void tile_medians_3(const List<Cell, 1> (&cell)[seen_rows<3>][seen_columns<3>],
                                               typename Cell::Value (&out)[tile_rows][tile_columns]) {
  using Value = typename Cell::Value;
  Value lows[tile_rows][seen_columns<3>], mids[tile_rows][seen_columns<3>], highs[tile_rows][seen_columns<3>];
#pragma unroll
  for (int c = 0; c < seen_columns<3>; ++c) {
    const Value low = Cell::low(cell[1][c].v[0], cell[2][c].v[0]), high = Cell::high(cell[1][c].v[0], cell[2][c].v[0]);
#pragma unroll
    for (int r = 0; r < tile_rows; ++r) {
      const Value third = cell[3 * r][c].v[0];
      const Value above = Cell::high(third, low);
      lows[r][c] = Cell::low(third, low);
      mids[r][c] = Cell::low(above, high);
      highs[r][c] = Cell::high(above, high);
    }
  }
#pragma unroll
  for (int r = 0; r < tile_rows; ++r) {
#pragma unroll
    for (int i = 0; i < tile_columns; i += 2) {
      // Two neighbours share two of their three mids.
      const Value low = Cell::low(mids[r][i + 1], mids[r][i + 2]), high = Cell::high(mids[r][i + 1], mids[r][i + 2]);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const int c = i + k;
        const Value a = Cell::high(lows[r][c], lows[r][c + 1], lows[r][c + 2]);
        const Value b = Cell::high(low, Cell::low(high, mids[r][i + 3 * k]));
        const Value d = Cell::low(highs[r][c], highs[r][c + 1], highs[r][c + 2]);
        out[r][c] = Cell::high(Cell::low(a, b), Cell::low(Cell::high(a, b), d));
      }
    }
  }
}

/// Samples on both sides that are loaded with those of a tile: no window reaches farther.
inline constexpr int row_reach = 4;
template <class Sample>
using RowOf = TileRow<Sample, tile_columns, row_reach>;

template <class Row>
__device__ __forceinline__ void store_tile(const NetworkTask& task, int z, int y0, int x0,
                                           const typename Row::Value (&results)[tile_rows][tile_columns]) {
  std::byte* const out =
      task.to.data + z * task.to.slice + y0 * task.to.pitch + static_cast<std::int64_t>(x0) * Row::size;
  Row::store(out, results[0]);
  if (y0 + 1 < task.ny) Row::store(out + task.to.pitch, results[1]);
}

/// Blocks that a multiprocessor shall hold, where the compiler takes a few registers too many by itself; or 0.
template <class Sample>
constexpr int wanted_blocks(int edge, int depth) {
  if (sizeof(Sample) != 4 || depth > 1) return 0;
  return edge == 5 ? 8 : edge == 7 ? 4 : 0;
}

template <class Sample, int edge, int depth, bool any_rank>
__global__ void __launch_bounds__(32 * TileGrid::warps, wanted_blocks<Sample>(edge, depth))
    network_kernel(NetworkTask task, TileGrid grid) {
  using Row = RowOf<Sample>;
  using Cell = typename Row::Cell;
  const auto [tile, y0, beside, any] = grid.place(task.ny);
  if (!any) return;
  const int x0 = tile * Row::samples;
  const int z = task.first_slice + static_cast<int>(blockIdx.y);
  List<Cell, depth> cell[seen_rows<edge>][seen_columns<edge>];
  Row row[seen_rows<edge>][depth];
  load_rows(row, task, beside, z - depth / 2, y0 - edge / 2, x0);
  bool any_nan = false;
#pragma unroll
  for (int r = 0; r < seen_rows<edge>; ++r) {
#pragma unroll
    for (int c = 0; c < seen_columns<edge>; ++c) {
#pragma unroll
      for (int d = 0; d < depth; ++d) cell[r][c].v[d] = row[r][d].cell(c + row_reach - edge / 2);
      if constexpr (std::is_same_v<Sample, float>) {
        // Window centres only: each pixel is tested for NaN exactly once.
        const bool own = r >= edge / 2 && r < edge / 2 + tile_rows && c >= edge / 2 && c < edge / 2 + tile_columns;
        if (own) any_nan |= isnan(cell[r][c].v[depth / 2]);
      }
      cell[r][c] = sorted<Cell>(cell[r][c]);
    }
  }
  if (any_nan && task.nan) *task.nan = 1;
  typename Cell::Value results[tile_rows][tile_columns];
  if constexpr (edge == 3 && depth == 1 && !any_rank) {
    tile_medians_3<Cell>(cell, results);
  } else {
    tile_ranks<Cell, edge, depth, any_rank>(cell, task.rank, results);
  }
  store_tile<Row>(task, z, y0, x0, results);
}

template <class Sample, int edge, int depth, bool any_rank>
NetworkKernel network_of() {
  return {network_kernel<Sample, edge, depth, any_rank>, RowOf<Sample>::samples, RowOf<Sample>::side};
}

template <class Sample>
NetworkKernel square_network(int edge, int depth) {
  if (depth == 3) return network_of<Sample, 3, 3, false>();
  switch (edge) {
    case 3:
      return network_of<Sample, 3, 1, false>();
    case 5:
      return network_of<Sample, 5, 1, false>();
    case 7:
      return network_of<Sample, 7, 1, false>();
    default:
      return network_of<Sample, 9, 1, false>();
  }
}

template <class Sample>
NetworkKernel rank_network(int edge, int depth) {
  if (depth == 3) return network_of<Sample, 3, 3, true>();
  switch (edge) {
    case 2:
      return network_of<Sample, 2, 1, true>();
    case 3:
      return network_of<Sample, 3, 1, true>();
    case 4:
      return network_of<Sample, 4, 1, true>();
    case 5:
      return network_of<Sample, 5, 1, true>();
    case 6:
      return network_of<Sample, 6, 1, true>();
    default:
      return network_of<Sample, 7, 1, true>();
  }
}

}  // namespace tamis::median_detail::gpu
