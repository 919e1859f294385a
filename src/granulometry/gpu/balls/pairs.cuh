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

/// Of small numbers that are not negative. What is divided is a half more, so that no rounding leads to another one.
__device__ __forceinline__ int quotient(int number, int by) {
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(static_cast<float>(by)));
  return static_cast<int>((static_cast<float>(number) + 0.5F) * inverse);
}

/// Where tiles of a ball begin, from `back` before the block's first, and how many there are along x and y: 6 bits
/// each.
struct Span {
  std::uint32_t word;

  __device__ __forceinline__ int x() const { return static_cast<int>(word & 63U) - back; }
  __device__ __forceinline__ int y() const { return static_cast<int>(word >> 6 & 63U) - back; }
  __device__ __forceinline__ int z() const { return static_cast<int>(word >> 12 & 63U) - back; }
  __device__ __forceinline__ unsigned columns() const { return word >> 18 & 63U; }
  __device__ __forceinline__ unsigned lines() const { return word >> 24; }
};

/// Boxes between counting and writing: their words, then each box's near tile, and from bit 9 on its place in the
/// tile's segment.
struct Stage {
  BoxWords* boxes;
  std::uint32_t* memories;
  std::uint32_t room;
};

/// Voxels that a block looks at, and then boxes.
constexpr int block_words = rows * rows * row_words;
constexpr int spare_words = 500;  // so that there is some stage in any case; with 50 more a processor has a block less
constexpr int look_words = block_words + voxels / 2 + spare_words;

struct Space {
  alignas(16) std::uint32_t block[look_words];
  Kept balls[most_kept];
  Span spans[most_kept];
  std::uint16_t tiles[most_kept];     ///< that each ball's box touches
  std::uint32_t counted[near_tiles];  ///< boxes of each tile near, then where its segment begins
  std::uint32_t before[threads + 1];  ///< pairs of the balls before one
  std::uint32_t warp_sums[threads / 32];
  std::uint32_t marked_count, kept_count, base;

  [[nodiscard]] __device__ __forceinline__ std::uint16_t* marked() {
    return reinterpret_cast<std::uint16_t*>(block + block_words);
  }
  /// What is free behind so many marks, or where nobody asks for marks and squares any more, all of it.
  [[nodiscard]] __device__ __forceinline__ Stage stage_behind(std::uint32_t marks, bool all) {
    const std::uint32_t begin = all ? 0U : (block_words + marks / 2 + 4) / 4 * 4;
    const std::uint32_t room = (look_words - begin) / 5;
    return {reinterpret_cast<BoxWords*>(block + begin), block + begin + 4 * room, room};
  }
};

/// The balls of a block that are kept, and the tiles that they go to.
template <bool cubic>
class Pairs {
 public:
  __device__ __forceinline__ Pairs(Space& space, const Block<cubic>& block)
      : space_(space), block_(block), in_y_(block.y % tile_y), in_z_(block.z % tile_z) {}

  /// The ball of a voxel, and in which tiles its box lies, and how many they are.
  __device__ __forceinline__ Kept ball_of(int place, int square, const Reach& reach, Span& span,
                                          std::uint16_t& tiles) const {
    const int middle[3] = {place & 63, place >> 6 & 7, place >> 9};
    const int origin[3] = {back * tile_x, back * tile_y + in_y_, back * tile_z + in_z_};
    constexpr unsigned tile[3] = {tile_x, tile_y, tile_z};
    std::uint32_t ends[3];
    unsigned first[3];
    unsigned count[3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int low = middle[axis] + reach.low[axis];
      const int high = middle[axis] + reach.high[axis];
      ends[axis] = static_cast<std::uint32_t>(low + shift) | static_cast<std::uint32_t>(high + shift) << 16;
      first[axis] = static_cast<unsigned>(origin[axis] + low) / tile[axis];
      count[axis] = static_cast<unsigned>(origin[axis] + high) / tile[axis] - first[axis] + 1;
    }
    span = {first[0] | first[1] << 6 | first[2] << 12 | count[0] << 18 | count[1] << 24};
    tiles = static_cast<std::uint16_t>(count[0] * count[1] * count[2]);
    return {ends[0], ends[1], ends[2], static_cast<std::uint32_t>(place) | static_cast<std::uint32_t>(square) << 12};
  }

  /// Counts through the pairs of the first balls, as many as there are threads. Returns how many pairs there are.
  __device__ __forceinline__ std::uint32_t count_through(std::uint32_t balls) {
    const int thread = threadIdx.x;
    const std::uint32_t own = static_cast<unsigned>(thread) < balls ? space_.tiles[thread] : 0U;
    const std::uint32_t until = sum_until(own);
    if (thread % 32 == 31) space_.warp_sums[thread / 32] = until;
    __syncthreads();
    const int lane = thread % 32;
    const std::uint32_t warps_until = sum_until(lane < threads / 32 ? space_.warp_sums[lane] : 0U);
    const std::uint32_t pairs = __shfl_sync(whole_warp, warps_until, 31);
    std::uint32_t lower_warps = __shfl_sync(whole_warp, warps_until, (thread / 32 + 31) % 32);
    if (thread < 32) lower_warps = 0;
    space_.before[thread] = lower_warps + until - own;
    if (thread == 0) space_.before[threads] = pairs;
    __syncthreads();
    return pairs;
  }

  /// The index of the ball of a lane's pair, the warp's pairs being one after the other from `first` on. All lanes call
  /// it. The first pair's ball is found by two looks at sums, the others by the balls that begin from there on: their
  /// beginnings are bits of a word.
  __device__ __forceinline__ int ball_of_pair(std::uint32_t first) const {
    constexpr int step = threads / 32;
    const int lane = threadIdx.x % 32;
    const auto last_until = [first](std::uint32_t begins) {
      return __popc(__ballot_sync(whole_warp, begins <= first)) - 1;
    };
    const int coarse = step * last_until(space_.before[step * lane]);
    const int begin = coarse + last_until(lane < step ? space_.before[coarse + lane] : ~0U);
    const std::uint32_t away = space_.before[min(begin + 1 + lane, threads)] - first;
    const std::uint32_t begins = cuda::warp_or(away < 32 ? 1U << away : 0U);
    return begin + __popc(begins & ((2U << lane) - 1));
  }

  /// The tile of a pair, whose ball is known.
  __device__ __forceinline__ Share share_of(std::uint32_t pair, int k) const {
    const Span span = space_.spans[k];
    const auto nx = static_cast<int>(span.columns());
    const auto ny = static_cast<int>(span.lines());
    const int rest = static_cast<int>(pair - space_.before[k]);
    const int lines = quotient(rest, nx);
    const int planes = quotient(lines, ny);
    return Share{span.x() + rest - lines * nx, span.y() + lines - planes * ny, span.z() + planes};
  }

  /// What a tile has of a ball, both from the tile's first voxel. False: nothing.
  __device__ __forceinline__ bool box_of(int k, const Share& share, BoxWords& box) const {
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
    box = words_of<std::uint16_t>(cx, cy, cz, square, fx, lx, fy, ly, fz, lz);
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
