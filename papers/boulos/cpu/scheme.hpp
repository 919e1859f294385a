// The scheme of Boulos et al. 2012: for every size one more unit erosion, then n unit dilations, on packed bits.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "granulometry/plan.hpp"

namespace tamis::boulos::cpu {

struct SchemeTask {
  const Image* object = nullptr;  ///< Bool
  const Image* domain = nullptr;  ///< Bool or nullptr
  std::int64_t first_row = 0;     ///< row 0 of the grid is this row of the image
  granulometry_detail::Grid grid;  ///< of one batch item
  bool chessboard = false;
  bool neutral = false;
  std::int64_t max_size = 0;  ///< last n; negative: none
};

/// Bytes of the bit grids that paper() works on.
std::int64_t scheme_bytes(const granulometry_detail::Grid& grid);

/// Volumes after the openings 0, 1, 2 ... until nothing is left or nothing changes. If `map` is not null it holds one
/// counter a voxel, rows of grid.x, and becomes the size map.
std::vector<std::int64_t> scheme_volumes(const Context& context, const SchemeTask& task, std::uint16_t* map);

}  // namespace tamis::boulos::cpu
