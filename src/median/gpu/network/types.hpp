// The networks of each type of sample, compiled in files of their own, because they take long.
#pragma once

namespace tamis::median_detail::gpu {

struct NetworkTask;
struct TileGrid;

/// A kernel, and the tiles that its threads make.
struct NetworkKernel {
  void (*kernel)(NetworkTask, TileGrid) = nullptr;
  int wide = 0;  ///< results of a row of a tile
  int side = 0;  ///< samples on both sides that are loaded with them
};

/// Medians of squares of 3, 5, 7 and 9; depth 3: of the cube of 3.
template <class Sample>
[[nodiscard]] NetworkKernel square_network(int edge, int depth);
/// Any rank of squares of 2 ... 7; depth 3: of the cube of 3.
template <class Sample>
[[nodiscard]] NetworkKernel rank_network(int edge, int depth);
/// Medians of rows (columns) of 3, 5 ... 15 samples.
template <class Sample>
[[nodiscard]] NetworkKernel line_network(int length, bool along_x);

}  // namespace tamis::median_detail::gpu
