// For select.cu: a block of squares, the balls of it that are kept, and which tiles have what of them.
#pragma once

#include "core/gpu/warp.cuh"
#include "granulometry/gpu/balls/boxes.hpp"
#include "granulometry/gpu/balls/root.cuh"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

// A block of 64 x 8 x 8 squares in shared memory with one around it: loaded, marked by the neighbours along the axes,
// and asked what is left of a ball. For select.cu.

using cuda::whole_warp;

constexpr int edge = 8;  // of a block, along y and z; along x it has 64 voxels, two in a word
constexpr int words = 32;
constexpr int row_words = 35;  // one more before and behind, and one that keeps rows in different banks
constexpr int rows = edge + 2;
constexpr int threads = 256;
constexpr int voxels = 64 * edge * edge;
/// Steps in 16-bit lanes of shared memory.
constexpr int step_y = 2 * row_words;
constexpr int step_z = step_y * rows;

/// What is left of a ball, from its middle on.
struct Reach {
  int low[3], high[3];  ///< x, y, z
};

template <bool cubic>
struct Block {
  const Selection& task;
  int x, y, z;  ///< its first voxel

  __device__ int side(int axis) const {
    return cubic ? 1 : axis == 0 ? task.sides.x : axis == 1 ? task.sides.y : task.sides.z;
  }

  /// What neighbours along the axes leave of the ball at a place. False: nothing.
  __device__ bool reach_of(const std::uint16_t* lanes, int place, int& square, int& at, Reach& reach) const {
    const int px = place & 63, py = place >> 6 & 7, pz = place >> 9;
    at = (pz + 1) * step_z + (py + 1) * step_y + 2 + px;
    square = lanes[at];
    const int radius = root_of(square - 1);
    const int position[3] = {x + px, y + py, z + pz};
    const int last[3] = {static_cast<int>(task.squares.x) - 1, static_cast<int>(task.squares.y) - 1,
                         static_cast<int>(task.squares.z) - 1};
    constexpr int step[3] = {1, step_y, step_z};
    int away = 0;
    int nearest_squares[3] = {};
    bool middle_only = true;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      int& low = reach.low[axis];
      int& high = reach.high[axis];
      if (!cubic && axis == 2 && task.sides.flat) {
        low = high = 0;
        continue;
      }
      const int h = side(axis);
      const int steps = cubic ? radius : radius / h;
      low = -min(steps, position[axis]);
      high = min(steps, last[axis] - position[axis]);
      const int below = static_cast<int>(lanes[at - step[axis]]) - square;
      const int above = static_cast<int>(lanes[at + step[axis]]) - square;
      const auto steps_to = [h](int more) {  // half of the way between two middles
        return static_cast<int>(static_cast<unsigned>(more + h * h) / static_cast<unsigned>(2 * h * h));
      };
      if (below >= 0) low = max(low, steps_to(below));
      if (above >= 0) high = min(high, -steps_to(above));
      if (low > high) away = 1 << 20;
      middle_only = middle_only && low == 0 && high == 0;
      const int nearest = max(max(low, -high), 0) * h;
      nearest_squares[axis] = nearest * nearest;
      away += nearest_squares[axis];
    }
    if (away >= square || middle_only) return false;
    tighten(square, away, nearest_squares, reach);
    return true;
  }

  /// What is left of a ball away from its middle is narrower than the ball: a third fewer tiles to look at.
  __device__ void tighten(int square, int away, const int (&nearest_squares)[3], Reach& reach) const {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int half = root_of(square - 1 - away + nearest_squares[axis]);
      const int steps = cubic ? half : half / side(axis);
      reach.low[axis] = max(reach.low[axis], -steps);
      reach.high[axis] = min(reach.high[axis], steps);
    }
  }

  /// Whether a diagonal neighbour's ball holds this one.
  __device__ bool lies_in_diagonal(const std::uint16_t* lanes, int square, int at) const {
    if (static_cast<unsigned>(square) >= task.inclusion.known) return false;
    const std::uint16_t* const p = lanes + at;
    const auto four = [&](int a, int b) {
      return max(max(unsigned{p[a + b]}, unsigned{p[a - b]}), max(unsigned{p[b - a]}, unsigned{p[-a - b]}));
    };
    if constexpr (cubic) {
      const unsigned planar = max(max(four(1, step_y), four(1, step_z)), four(step_y, step_z));
      if (planar >= task.inclusion.least[0][square]) return true;
    } else {
      if (four(1, step_y) >= task.inclusion.least[0][square]) return true;
      if (task.sides.flat) return false;
      if (four(1, step_z) >= task.inclusion.least[1][square]) return true;
      if (four(step_y, step_z) >= task.inclusion.least[2][square]) return true;
    }
    const unsigned corners = max(max(max(unsigned{p[1 + step_y + step_z]}, unsigned{p[1 + step_y - step_z]}),
                                     max(unsigned{p[1 - step_y + step_z]}, unsigned{p[1 - step_y - step_z]})),
                                 max(max(unsigned{p[-1 + step_y + step_z]}, unsigned{p[-1 + step_y - step_z]}),
                                     max(unsigned{p[-1 - step_y + step_z]}, unsigned{p[-1 - step_y - step_z]})));
    return corners >= task.inclusion.least[3][square];
  }
};

/// Copies the rows of a slice, two voxels in a word. `checks`: some of them lie outside of the volume, and are 0.
template <bool checks>
__device__ __forceinline__ void load_rows(const std::uint32_t* row, std::uint32_t pitch, int first, int count,
                                          std::uint32_t* to) {
  std::uint32_t samples[rows];
#pragma unroll
  for (int py = 0; py < rows; ++py) {
    samples[py] = !checks || (py >= first && py < first + count) ? row[py * pitch] : 0U;
  }
#pragma unroll
  for (int py = 0; py < rows; ++py) to[py * row_words] = samples[py];
}

/// Copies the block and one voxel around it, zeros outside of the volume.
__device__ __forceinline__ void load(const Selection& task, std::int64_t x, std::int64_t y, std::int64_t z,
                                     std::uint32_t* block) {
  const auto* const from = reinterpret_cast<const std::uint32_t*>(task.squares.data);
  const std::int64_t words_of_row = task.squares.pitch / 2;
  const int lane = threadIdx.x % 32;
  const auto pitch = static_cast<std::uint32_t>(words_of_row);
  const int above = y > 0 ? 0 : 1;  // the first row that is there
  const int there = static_cast<int>(min(task.squares.y - y + 1, std::int64_t{rows})) - above;
  const bool whole = there == rows;
  for (int pz = threadIdx.x / 32; pz < rows; pz += threads / 32) {
    const std::int64_t at_z = z - 1 + pz;
    const bool in_z = at_z >= 0 && at_z < task.squares.z;
    const std::uint32_t* const row = from + (at_z * task.squares.y + y - 1) * words_of_row + x / 2 + lane;
    std::uint32_t* const to = block + pz * rows * row_words + 1 + lane;
    if (in_z && whole) {
      load_rows<false>(row, pitch, 0, 0, to);
    } else {
      load_rows<true>(row, pitch, above, in_z ? there : 0, to);
    }
  }
  if (threadIdx.x < 2 * rows * rows) {
    const int row = threadIdx.x / 2;
    const bool behind = threadIdx.x % 2 != 0;
    const std::int64_t at_y = y - 1 + row % rows;
    const std::int64_t at_z = z - 1 + row / rows;
    const std::int64_t word = behind ? x / 2 + words : x / 2 - 1;
    const bool inside =
        at_y >= 0 && at_y < task.squares.y && at_z >= 0 && at_z < task.squares.z && word >= 0 && word < words_of_row;
    block[row * row_words + (behind ? words + 1 : 0)] =
        inside ? from[(at_z * task.squares.y + at_y) * words_of_row + word] : 0U;
  }
}

/// Sums of the lanes up to this one.
__device__ __forceinline__ std::uint32_t sum_until(std::uint32_t value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t lower = __shfl_up_sync(whole_warp, value, distance);
    if (lane >= distance) value += lower;
  }
  return value;
}

/// Steps from the middle to what two neighbours along an axis leave of a ball, of two voxels; above bit 8 of each
/// anything.
__device__ __forceinline__ std::uint32_t steps_left(std::uint32_t a, std::uint32_t b, std::uint32_t own) {
  return (__vmaxu2(__vmaxu2(a, b), own) - own + 0x10001U) >> 1;
}

/// Marks by the neighbours along the axes: in cubes where what they leave is nearer than the ball's surface. Steps take
/// part with their last eight bits, which are all of them where balls have radii below 255, as distances do: more steps
/// are fewer here, and such a voxel is looked at again.
template <bool cubic>
__device__ __forceinline__ void mark(const Selection& task, const std::uint32_t* block, std::uint16_t* list,
                                     std::uint32_t* count) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  unsigned marks = 0;  // of this lane: two voxels in each row
  const int first = ((warp + 1) * rows + 1) * row_words + 1 + lane;
  std::uint32_t before = block[first - row_words];
  std::uint32_t next = block[first];
#pragma unroll
  for (int row = 0; row < edge; ++row) {
    const int i = first + row * row_words;
    const std::uint32_t own = next;
    const std::uint32_t lower = before;
    const std::uint32_t upper = block[i + row_words];
    before = own;
    next = upper;
    if (!__any_sync(whole_warp, own != 0)) continue;
    const std::uint32_t low = own & 0xffffU;
    const std::uint32_t high = own >> 16;
    const auto least = static_cast<std::uint32_t>(task.least);
    bool low_marked = low >= least;
    bool high_marked = high >= least;
    if constexpr (cubic) {
      const std::uint32_t along_x =
          steps_left(__byte_perm(block[i - 1], own, 0x5432), __byte_perm(own, block[i + 1], 0x5432), own);
      const std::uint32_t along_y = steps_left(lower, upper, own);
      const std::uint32_t along_z = steps_left(block[i - rows * row_words], block[i + rows * row_words], own);
      const std::uint32_t planar = __byte_perm(along_x, along_y, 0x6240);
      const std::uint32_t depth = along_z & 0x00ff00ffU;
      const auto is_nearer = [](std::uint32_t steps, std::uint32_t square) {
        return __dp4a(steps, steps, 0U) < square;
      };
      low_marked = low_marked && is_nearer(__byte_perm(planar, depth, 0x5410), low);
      high_marked = high_marked && is_nearer(__byte_perm(planar, depth, 0x7632), high);
    }
    marks |= (low_marked ? 1U : 0U) << (2 * row) | (high_marked ? 2U : 0U) << (2 * row);
  }
  if (!__any_sync(whole_warp, marks != 0)) return;
  const auto own = static_cast<std::uint32_t>(__popc(marks));
  const std::uint32_t until = sum_until(own);
  std::uint32_t at = 0;
  if (lane == 31) at = atomicAdd(count, until);
  at = __shfl_sync(whole_warp, at, 31) + until - own;
  for (; marks != 0; marks &= marks - 1) {
    const int mark = __ffs(static_cast<int>(marks)) - 1;
    list[at++] = static_cast<std::uint16_t>((warp * edge + mark / 2) << 6 | 2 * lane | (mark & 1));
  }
}

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
