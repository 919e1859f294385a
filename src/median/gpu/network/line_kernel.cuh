// Medians of windows of one row or one column by networks. Two neighbours share all samples but one each, so of what
// they share only the two in the middle count.
#pragma once

#include <type_traits>

#include "median/gpu/network/kernel.cuh"

namespace tamis::median_detail::gpu {

/// Medians of `length` samples and of the same moved by one, of length + 1 samples side by side.
template <class Cell, int length>
__device__ __forceinline__ void two_medians(const List<Cell, length + 1>& samples, typename Cell::Value& first,
                                            typename Cell::Value& second) {
  const auto shared = sorted<Cell>(part<Cell, 1, length - 1>(samples));
  const auto below = shared.v[length / 2 - 1], above = shared.v[length / 2];
  first = Cell::high(below, Cell::low(samples.v[0], above));
  second = Cell::high(below, Cell::low(samples.v[length], above));
}

/// Samples on both sides that are loaded with those of a tile.
template <int length, bool along_x>
inline constexpr int line_reach = (along_x && length / 2 > row_reach) ? 2 * row_reach : row_reach;
template <class Sample, int length, bool along_x>
using LineRow = TileRow<Sample, tile_columns, line_reach<length, along_x>>;

/// A thread makes a tile, as network_kernel does.
template <class Sample, int length, bool along_x>
__global__ void __launch_bounds__(32 * TileGrid::warps) line_kernel(NetworkTask task, TileGrid grid) {
  using Row = LineRow<Sample, length, along_x>;
  using Cell = typename Row::Cell;
  const auto [tile, y0, beside, any] = grid.place(task.ny);
  if (!any) return;
  const int x0 = tile * Row::samples;
  const int z = task.first_slice + static_cast<int>(blockIdx.y);
  typename Cell::Value medians[tile_rows][tile_columns];
  bool any_nan = false;
  const auto look = [&](const typename Cell::Value& own) {
    if constexpr (std::is_same_v<Sample, float>) any_nan |= isnan(own);
  };
  if constexpr (along_x) {
    Row row[tile_rows][1];
    load_rows(row, task, beside, z, y0, x0);
#pragma unroll
    for (int r = 0; r < tile_rows; ++r) {
#pragma unroll
      for (int c = 0; c < tile_columns; c += 2) {
        List<Cell, length + 1> samples;
#pragma unroll
        for (int i = 0; i <= length; ++i) samples.v[i] = row[r][0].cell(Row::side - length / 2 + c + i);
        look(samples.v[length / 2]);
        look(samples.v[length / 2 + 1]);
        two_medians<Cell, length>(samples, medians[r][c], medians[r][c + 1]);
      }
    }
  } else {
    List<Cell, length + 1> samples[tile_columns];
    Row row[length + 1][1];
    load_rows(row, task, beside, z, y0 - length / 2, x0);
#pragma unroll
    for (int i = 0; i <= length; ++i) {
#pragma unroll
      for (int c = 0; c < tile_columns; ++c) samples[c].v[i] = row[i][0].cell(Row::side + c);
    }
#pragma unroll
    for (int c = 0; c < tile_columns; ++c) {
      look(samples[c].v[length / 2]);
      look(samples[c].v[length / 2 + 1]);
      two_medians<Cell, length>(samples[c], medians[0][c], medians[1][c]);
    }
  }
  if (any_nan && task.nan) *task.nan = 1;
  store_tile<Row>(task, z, y0, x0, medians);
}

template <class Sample, int length, bool along_x>
NetworkKernel line_network() {
  using Row = LineRow<Sample, length, along_x>;
  return {line_kernel<Sample, length, along_x>, Row::samples, Row::side};
}

template <class Sample>
NetworkKernel line_network(int length, bool along_x) {
  switch (length) {
    case 3:
      return along_x ? line_network<Sample, 3, true>() : line_network<Sample, 3, false>();
    case 5:
      return along_x ? line_network<Sample, 5, true>() : line_network<Sample, 5, false>();
    case 7:
      return along_x ? line_network<Sample, 7, true>() : line_network<Sample, 7, false>();
    case 9:
      return along_x ? line_network<Sample, 9, true>() : line_network<Sample, 9, false>();
    case 11:
      return along_x ? line_network<Sample, 11, true>() : line_network<Sample, 11, false>();
    case 13:
      return along_x ? line_network<Sample, 13, true>() : line_network<Sample, 13, false>();
    default:
      return along_x ? line_network<Sample, 15, true>() : line_network<Sample, 15, false>();
  }
}

}  // namespace tamis::median_detail::gpu
