#include <limits>

#include "papers/boulos/gpu/pass.hpp"

namespace tamis::boulos::gpu {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

Tiles choose_tiles(const granulometry_detail::Grid& grid, std::int64_t resident) {
  constexpr std::int64_t widest = 32;  // a warp; wider rows are split evenly, at the borders of 32-byte sectors
  // Steps that a block is busy beyond its slices: the first loads, the neighbours' two slices, the count.
  constexpr std::int64_t start_steps = 4;
  Tiles tiles;
  const std::int64_t quads = quads_of(grid.x);
  const std::int64_t across = divide_up(quads, widest);
  const std::int64_t even = divide_up(quads, across);
  const std::int64_t width = across > 1 ? (even + 1) / 2 * 2 : even;
  tiles.width = static_cast<int>(width);
  tiles.across = static_cast<int>(divide_up(quads, width));
  tiles.rows = block_threads / tiles.width;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t chunks = 1; chunks <= grid.z; ++chunks) {
    const std::int64_t chunk = divide_up(grid.z, chunks);
    const std::int64_t used = divide_up(grid.z, chunk);
    const std::int64_t units = grid.batch * used * grid.y;
    const std::int64_t blocks = divide_up(units, tiles.rows) * tiles.across;
    if (chunks > 1 && (units > std::numeric_limits<int>::max() || blocks > std::numeric_limits<int>::max())) break;
    const std::int64_t time = divide_up(blocks, resident) * (chunk + start_steps);
    if (time >= least) continue;
    least = time;
    tiles.chunk = static_cast<int>(chunk);
    tiles.chunks = static_cast<int>(used);
    tiles.blocks = blocks;
  }
  return tiles;
}

}  // namespace tamis::boulos::gpu
