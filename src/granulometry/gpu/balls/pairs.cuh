// The balls of a block that are kept, and which tiles have what of them. For select.cu.
#pragma once

#include "granulometry/gpu/balls/block.cuh"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

/// Tiles around a block whose segments are made in shared memory; others, of large balls, take a box at a time.
constexpr int near_x = 6;
constexpr int near_y = 7;
constexpr int near_z = 7;
constexpr int near_tiles = near_x * near_y * near_z;
constexpr int near_before_x = 2;  // of them, before the block's first tile
constexpr int near_before_y = 3;
constexpr int near_before_z = 3;

/// A ball that is kept, relative to the block's first voxel; 512 is added so that none is negative.
struct alignas(16) Kept {
  std::uint32_t x, y, z;  ///< first and last of its box
  std::uint32_t place;    ///< in the block, and the square
};
constexpr int shift = 512;

/// Balls that are kept, from one look at marked voxels to the next, and a place for as many more.
constexpr int most_kept = 2 * threads;
/// Tiles are counted from so many before the block's, so that quotients are of what is not negative.
constexpr int back = 16;

/// The tile of a box, from the block's first one.
struct Share {
  int x, y, z;
};

struct Space {
  std::uint32_t block[rows * rows * row_words];
  std::uint16_t marked[voxels];
  Kept balls[most_kept];
  std::uint16_t tiles[most_kept];  ///< that each ball's box touches
  /// For each tile near: pairs that are remembered, then where its segment begins; of the segment how much there is,
  /// and how much of it is taken.
  std::uint32_t places[near_tiles], lengths[near_tiles], taken[near_tiles];
  std::uint32_t before[threads + 1];  ///< pairs of the balls before one
  std::uint32_t warp_sums[threads / 32];
  std::uint32_t marked_count, kept_count, base;
};

/// The balls of a block that are kept, and the tiles that they go to.
template <bool cubic>
class Pairs {
 public:
  __device__ __forceinline__ Pairs(Space& space, const Block<cubic>& block)
      : space_(space), block_(block), in_y_(block.y % tile_y), in_z_(block.z % tile_z) {}

  /// The ball of a voxel, and in how many tiles its box lies.
  __device__ __forceinline__ Kept ball_of(int place, int square, const Reach& reach, std::uint16_t& tiles) const {
    const int middle[3] = {place & 63, place >> 6 & 7, place >> 9};
    const int origin[3] = {back * tile_x, back * tile_y + in_y_, back * tile_z + in_z_};
    constexpr unsigned tile[3] = {tile_x, tile_y, tile_z};
    std::uint32_t ends[3];
    std::uint32_t count = 1;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int low = middle[axis] + reach.low[axis];
      const int high = middle[axis] + reach.high[axis];
      ends[axis] = static_cast<std::uint32_t>(low + shift) | static_cast<std::uint32_t>(high + shift) << 16;
      count *= static_cast<unsigned>(origin[axis] + high) / tile[axis] -
               static_cast<unsigned>(origin[axis] + low) / tile[axis] + 1;
    }
    tiles = static_cast<std::uint16_t>(count);
    return {ends[0], ends[1], ends[2], static_cast<std::uint32_t>(place) | static_cast<std::uint32_t>(square) << 12};
  }

  /// Counts through the pairs of the first balls, as many as there are threads. Returns how many pairs there are.
  __device__ __forceinline__ std::uint32_t count_through(std::uint32_t balls) {
    const int thread = threadIdx.x;
    const std::uint32_t own = static_cast<unsigned>(thread) < balls ? space_.tiles[thread] : 0U;
    const std::uint32_t until = sum_until(own);
    if (thread % 32 == 31) space_.warp_sums[thread / 32] = until;
    __syncthreads();
    std::uint32_t lower_warps = 0;
    std::uint32_t pairs = 0;
#pragma unroll
    for (int w = 0; w < threads / 32; ++w) {
      const std::uint32_t sum = space_.warp_sums[w];
      if (w < thread / 32) lower_warps += sum;
      pairs += sum;
    }
    space_.before[thread] = lower_warps + until - own;
    if (thread == 0) space_.before[threads] = pairs;
    __syncthreads();
    return pairs;
  }

  /// The index of a pair's ball, and its tile.
  __device__ __forceinline__ Share share_of(std::uint32_t pair, int& k) const {
    k = 0;
#pragma unroll
    for (int half = threads / 2; half > 0; half /= 2) {
      if (space_.before[k + half] <= pair) k += half;
    }
    const Kept ball = space_.balls[k];
    const auto tile_of = [](int at, unsigned edge) {
      return static_cast<int>((static_cast<unsigned>(at) + back * edge) / edge) - back;
    };
    const int ax = tile_of(first_of(ball.x), tile_x);
    const int ay = tile_of(in_y_ + first_of(ball.y), tile_y);
    const int az = tile_of(in_z_ + first_of(ball.z), tile_z);
    const int nx = tile_of(last_of(ball.x), tile_x) - ax + 1;
    const int ny = tile_of(in_y_ + last_of(ball.y), tile_y) - ay + 1;
    const int rest = static_cast<int>(pair - space_.before[k]);
    const int lines = static_cast<int>(__fdividef(static_cast<float>(rest) + 0.5F, static_cast<float>(nx)));
    const int planes = static_cast<int>(__fdividef(static_cast<float>(lines) + 0.5F, static_cast<float>(ny)));
    return Share{ax + rest - lines * nx, ay + lines - planes * ny, az + planes};
  }

  /// What a tile has of a ball, both from the tile's first voxel. False: nothing.
  __device__ __forceinline__ bool box_of(int k, const Share& share, Box& box) const {
    const Kept ball = space_.balls[k];
    const auto square = static_cast<int>(ball.place >> 12);
    const int ox = share.x * tile_x, oy = share.y * tile_y - in_y_, oz = share.z * tile_z - in_z_;
    const int fx = max(first_of(ball.x) - ox, 0), lx = min(last_of(ball.x) - ox, tile_x - 1);
    const int fy = max(first_of(ball.y) - oy, 0), ly = min(last_of(ball.y) - oy, tile_y - 1);
    const int fz = max(first_of(ball.z) - oz, 0), lz = min(last_of(ball.z) - oz, tile_z - 1);
    const int cx = static_cast<int>(ball.place & 63U) - ox;
    const int cy = static_cast<int>(ball.place >> 6 & 7U) - oy;
    const int cz = static_cast<int>(ball.place >> 9 & 7U) - oz;
    const int dx = max(max(fx - cx, cx - lx), 0) * block_.side(0);
    const int dy = max(max(fy - cy, cy - ly), 0) * block_.side(1);
    const int dz = max(max(fz - cz, cz - lz), 0) * block_.side(2);
    box = Box::of(cx, cy, cz, square, fx, lx, fy, ly, fz, lz);
    return dx * dx + dy * dy + dz * dz < square;
  }

  /// The index of a tile whose segment is made in shared memory; below 0 for others.
  __device__ __forceinline__ static int near_of(const Share& share) {
    const auto px = static_cast<unsigned>(share.x + near_before_x), py = static_cast<unsigned>(share.y + near_before_y),
               pz = static_cast<unsigned>(share.z + near_before_z);
    const bool near = px < near_x && py < near_y && pz < near_z;
    return near ? static_cast<int>((pz * near_y + py) * near_x + px) : -1;
  }

  __device__ __forceinline__ static Share share_of_near(int near) {
    return {near % near_x - near_before_x, near / near_x % near_y - near_before_y,
            near / near_x / near_y - near_before_z};
  }

 private:
  __device__ __forceinline__ static int first_of(std::uint32_t ends) {
    return static_cast<int>(ends & 0xffffU) - shift;
  }
  __device__ __forceinline__ static int last_of(std::uint32_t ends) { return static_cast<int>(ends >> 16) - shift; }

  Space& space_;
  const Block<cubic>& block_;
  int in_y_, in_z_;  ///< where the block begins in its tiles; along x it is where a tile does
};

}  // namespace
}  // namespace tamis::granulometry_detail::gpu::balls
