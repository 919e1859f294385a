// The kernel of networks.
#pragma once

#include <cstdint>
#include <type_traits>

#include "median/gpu/network/rows.cuh"
#include "median/gpu/network/types.hpp"
#include "median/gpu/network/windows.cuh"

namespace tamis::median_detail::gpu {

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
