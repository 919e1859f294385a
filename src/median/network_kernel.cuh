// The kernel of networks, and its launch; each type of sample has a file of its own, because they take long to compile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/cuda/launch.hpp"
#include "median/network_rows.cuh"
#include "median/network_windows.cuh"

namespace tamis::median_detail {

/// Samples on both sides that are loaded with those of a tile: no window reaches farther.
inline constexpr int row_reach = 4;
template <class Sample>
using RowOf = TileRow<Sample, tile_columns, row_reach>;

template <class Row>
__device__ __forceinline__ void store_tile(const NetworkTask& task, int z, int y0, int x0,
                                           const typename Row::Value (&medians)[tile_rows][tile_columns]) {
  std::byte* const out =
      task.to.data + z * task.to.slice + y0 * task.to.pitch + static_cast<std::int64_t>(x0) * Row::size;
  Row::store(out, medians[0]);
  if (y0 + 1 < task.ny) Row::store(out + task.to.pitch, medians[1]);
}

template <class Sample, int edge, int depth>
__global__ void __launch_bounds__(32 * TileGrid::warps) network_kernel(NetworkTask task, TileGrid grid) {
  using Row = RowOf<Sample>;
  using Cell = typename Row::Cell;
  const auto [tile, y0, any] = grid.place(task.ny);
  if (!any) return;
  const int x0 = tile * Row::samples;
  const int z = task.first_slice + static_cast<int>(blockIdx.y);
  List<Cell, depth> cell[seen_rows<edge>][seen_columns<edge>];
  bool any_nan = false;
#pragma unroll
  for (int r = 0; r < seen_rows<edge>; ++r) {
    Row row[depth];
#pragma unroll
    for (int d = 0; d < depth; ++d) load_row(row[d], task, z + d - depth / 2, y0 + r - edge / 2, x0);
#pragma unroll
    for (int c = 0; c < seen_columns<edge>; ++c) {
#pragma unroll
      for (int d = 0; d < depth; ++d) cell[r][c].v[d] = row[d].cell(c + row_reach - edge / 2);
      if constexpr (std::is_same_v<Sample, float>) {
        // The samples in the middle of the tile's windows: each of the image once.
        const bool own = r >= edge / 2 && r < edge / 2 + tile_rows && c >= edge / 2 && c < edge / 2 + tile_columns;
        if (own) any_nan |= isnan(cell[r][c].v[depth / 2]);
      }
      cell[r][c] = sorted<Cell>(cell[r][c]);
    }
  }
  if (any_nan && task.nan) *task.nan = 1;
  typename Cell::Value medians[tile_rows][tile_columns];
  if constexpr (edge == 3 && depth == 1) {
    tile_medians_3<Cell>(cell, medians);
  } else {
    tile_medians<Cell, edge, depth>(cell, medians);
  }
  store_tile<Row>(task, z, y0, x0, medians);
}

template <class Row, class Kernel>
void run_tiles(const cuda::Stream& stream, NetworkTask task, const Kernel& kernel) {
  constexpr int most_slices = 65535;  // of a launch
  const TileGrid grid = TileGrid::of<Row>(task.nx, task.ny);
  for (; task.first_slice < task.nz; task.first_slice += most_slices) {
    const auto slices = static_cast<unsigned>(std::min(task.nz - task.first_slice, most_slices));
    cuda::launch(stream, {dim3(static_cast<unsigned>(grid.across * grid.down), slices), dim3(32, TileGrid::warps)},
                 "median by networks", kernel, task, grid);
  }
}

template <class Sample, int edge, int depth>
void run_network(const cuda::Stream& stream, const NetworkTask& task) {
  run_tiles<RowOf<Sample>>(stream, task, network_kernel<Sample, edge, depth>);
}

}  // namespace tamis::median_detail
