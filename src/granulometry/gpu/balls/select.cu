// Which balls have to be painted, and how much of each: the rules of cpu/balls/select.hpp, block by block of 64 x 8 x 8
// voxels in shared memory. A block first marks by the six neighbours along the axes, then asks the diagonal ones of what
// is left, and writes the boxes of each tile that it touches one after the other: a segment.
#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/balls/boxes.hpp"
#include "granulometry/gpu/balls/root.cuh"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

using cuda::whole_warp;

constexpr int edge = 8;           // of a block, along y and z; along x it has 64 voxels, two in a word
constexpr int words = 32;
constexpr int row_words = 35;     // one more before and behind, and one that keeps rows in different banks
constexpr int rows = edge + 2;
constexpr int threads = 256;
constexpr int voxels = 64 * edge * edge;
/// Steps in 16-bit lanes of shared memory.
constexpr int step_y = 2 * row_words;
constexpr int step_z = step_y * rows;
/// Tiles around a block whose segments are made in shared memory; others, of large balls, take a box at a time.
constexpr int near_x = 6;
constexpr int near_y = 7;
constexpr int near_z = 7;
constexpr int near_tiles = near_x * near_y * near_z;

struct Grid {
  std::uint32_t across, down;  ///< blocks along x and y; there are fewer than 2^32 of all
  Tiles tiles;
};

struct Reach {
  int low[3], high[3];  ///< x, y, z
};

/// A ball that is kept, relative to the block's first voxel; 512 is added so that none is negative.
struct Kept {
  std::uint32_t x, y, z;  ///< first and last of its box
  std::uint32_t place;    ///< in the block, and the square
};
constexpr int shift = 512;

template <bool cubic>
struct Block {
  const Selection& task;
  int before[3];  ///< voxels x, y and z of the volume before its first one, as far as a ball can reach
  int behind[3];  ///< and from the first one on, less one

  __device__ int side(int axis) const {
    return cubic ? 1 : axis == 0 ? task.sides.x : axis == 1 ? task.sides.y : task.sides.z;
  }

  /// What neighbours along the axes leave of the ball at a place. False: nothing.
  __device__ bool reach_of(const std::uint16_t* lanes, int place, int& square, int& at, Reach& reach) const {
    const int px = place & 63, py = place >> 6 & 7, pz = place >> 9;
    at = (pz + 1) * step_z + (py + 1) * step_y + 2 + px;
    square = lanes[at];
    const int radius = root_of(square - 1);
    const int position[3] = {px, py, pz};
    constexpr int step[3] = {1, step_y, step_z};
    int away = 0;
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
      low = -min(steps, before[axis] + position[axis]);
      high = min(steps, behind[axis] - position[axis]);
      const int below = static_cast<int>(lanes[at - step[axis]]) - square;
      const int above = static_cast<int>(lanes[at + step[axis]]) - square;
      if (below >= 0) low = max(low, (below + h * h) / (2 * h * h));
      if (above >= 0) high = min(high, -((above + h * h) / (2 * h * h)));
      if (low > high) away = 1 << 20;
      middle_only = middle_only && low == 0 && high == 0;
      const int nearest = max(max(low, -high), 0) * h;
      away += nearest * nearest;
    }
    return away < square && !middle_only;
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
    const bool inside = at_y >= 0 && at_y < task.squares.y && at_z >= 0 && at_z < task.squares.z && word >= 0 &&
                        word < words_of_row;
    block[row * row_words + (behind ? words + 1 : 0)] =
        inside ? from[(at_z * task.squares.y + at_y) * words_of_row + word] : 0U;
  }
}

/// Appends what is marked to a list, in the order of lanes.
__device__ __forceinline__ void append(bool marked, std::uint16_t value, std::uint16_t* list, std::uint32_t* count) {
  const unsigned mask = __ballot_sync(whole_warp, marked);
  if (mask == 0) return;
  const int lane = threadIdx.x % 32;
  std::uint32_t at = 0;
  if (lane == 0) at = atomicAdd(count, static_cast<std::uint32_t>(__popc(mask)));
  at = __shfl_sync(whole_warp, at, 0);
  if (marked) list[at + __popc(mask & ((1U << lane) - 1))] = value;
}

/// Marks by the neighbours along the axes. In cubes with a margin: twice the distance from the middle to what is left,
/// squared, has to be below four squares; steps are rounded down to even numbers, which are twice the whole steps.
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
      const auto twice = [own](std::uint32_t a, std::uint32_t b) {
        return (__vmaxu2(__vmaxu2(a, b), own) - own + 0x10001U) & 0xfffefffeU;
      };
      const std::uint32_t along_x =
          twice(__byte_perm(block[i - 1], own, 0x5432), __byte_perm(own, block[i + 1], 0x5432));
      const std::uint32_t along_y = twice(lower, upper);
      const std::uint32_t along_z = twice(block[i - rows * row_words], block[i + rows * row_words]);
      const auto squared = [](std::uint32_t steps) { return steps * steps; };
      low_marked = low_marked && squared(along_x & 0xffffU) + squared(along_y & 0xffffU) +
                                         squared(along_z & 0xffffU) < 4 * low;
      high_marked = high_marked && squared(along_x >> 16) + squared(along_y >> 16) + squared(along_z >> 16) < 4 * high;
    }
    marks |= (low_marked ? 1U : 0U) << (2 * row) | (high_marked ? 2U : 0U) << (2 * row);
  }
  if (!__any_sync(whole_warp, marks != 0)) return;
  const auto own = static_cast<std::uint32_t>(__popc(marks));
  std::uint32_t until = own;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t lower = __shfl_up_sync(whole_warp, until, distance);
    if (lane >= distance) until += lower;
  }
  std::uint32_t at = 0;
  if (lane == 31) at = atomicAdd(count, until);
  at = __shfl_sync(whole_warp, at, 31) + until - own;
  for (; marks != 0; marks &= marks - 1) {
    const int mark = __ffs(static_cast<int>(marks)) - 1;
    list[at++] = static_cast<std::uint16_t>((warp * edge + mark / 2) << 6 | 2 * lane | (mark & 1));
  }
}

/// The tile of a box, from the block's first one.
struct Share {
  int x, y, z;
};
/// Pairs of a ball and a tile that are remembered from the first time they are looked at: the ball's index, the tile's
/// around the block and the place in its segment.
constexpr std::uint32_t most_remembered = 1024;
constexpr std::uint32_t forgotten = ~0U;
/// Tiles are counted from so many before the block's, so that quotients are of what is not negative.
constexpr int back = 16;

template <bool cubic, bool sample>
__global__ void __launch_bounds__(threads) select_kernel(const Selection task, const Grid grid) {
  __shared__ std::uint32_t block_words[rows * rows * row_words];
  __shared__ std::uint16_t marked[voxels];  // then what is kept of them, from the first on
  __shared__ std::uint32_t marked_count, kept_count, base;
  // For each tile near: pairs that are remembered, then where its segment begins; of the segment how much there is, and
  // how much of it is taken.
  __shared__ std::uint32_t places[near_tiles], lengths[near_tiles], taken[near_tiles];
  __shared__ Kept balls[threads];
  __shared__ std::uint32_t remembered[most_remembered];
  __shared__ std::uint32_t before[threads + 1], warp_sums[threads / 32];
  const auto* const lanes = reinterpret_cast<const std::uint16_t*>(block_words);
  const int thread = threadIdx.x;
  const int lane = thread % 32;
  const int warp = thread / 32;
  const std::uint32_t index = blockIdx.x * static_cast<std::uint32_t>(task.every);
  const std::uint32_t line = index / grid.across;
  const std::int64_t block_x = std::int64_t{index - line * grid.across} * 64;
  const std::int64_t block_z = std::int64_t{line / grid.down} * edge;
  const std::int64_t block_y = std::int64_t{line % grid.down} * edge;
  if (thread == 0) marked_count = kept_count = 0;
  load(task, block_x, block_y, block_z, block_words);
  __syncthreads();
  mark<cubic>(task, block_words, marked, &marked_count);
  __syncthreads();
  const std::uint32_t total = marked_count;
  if (total == 0) return;
  const auto near = [](std::int64_t voxels) { return static_cast<int>(min(voxels, std::int64_t{shift})); };
  const Block<cubic> block{
      task,
      {near(block_x), near(block_y), near(block_z)},
      {near(task.squares.x - 1 - block_x), near(task.squares.y - 1 - block_y), near(task.squares.z - 1 - block_z)}};
  // Where the block begins in its tiles; along x it is where a tile does.
  const auto in_y = static_cast<int>(block_y % tile_y);
  const auto in_z = static_cast<int>(block_z % tile_z);
  for (std::uint32_t first = 0; first < total; first += threads) {
    bool keep = first + thread < total;
    const std::uint16_t place = keep ? marked[first + thread] : std::uint16_t{0};
    if (keep) {
      int square = 0;
      int at = 0;
      Reach reach;
      keep = block.reach_of(lanes, place, square, at, reach) && !block.lies_in_diagonal(lanes, square, at);
      if (sample && keep && square <= dense_most) atomicAdd(&task.lists.cursors->small, 1U);
    }
    __syncthreads();  // no more is kept than has been read
    append(keep, place, marked, &kept_count);
  }
  __syncthreads();
  const std::uint32_t count = kept_count;
  const std::int64_t tile_of_block_x = block_x / tile_x - 2;
  const std::int64_t tile_of_block_y = block_y / tile_y - 3;
  const std::int64_t tile_of_block_z = block_z / tile_z - 3;
  for (std::uint32_t first = 0; first < count; first += threads) {
    __syncthreads();
    for (int i = thread; i < near_tiles; i += threads) places[i] = taken[i] = 0;
    std::uint32_t own = 0;
    if (first + thread < count) {
      int square = 0;
      int at = 0;
      Reach reach;
      const std::uint16_t place = marked[first + thread];
      block.reach_of(lanes, place, square, at, reach);
      const int middle[3] = {place & 63, place >> 6 & 7, place >> 9};
      std::uint32_t ends[3];
      std::uint32_t tiles = 1;
      const int origin[3] = {back * tile_x, back * tile_y + in_y, back * tile_z + in_z};
      constexpr unsigned tile[3] = {tile_x, tile_y, tile_z};
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        const int low = middle[axis] + reach.low[axis];
        const int high = middle[axis] + reach.high[axis];
        ends[axis] = static_cast<std::uint32_t>(low + shift) | static_cast<std::uint32_t>(high + shift) << 16;
        tiles *= static_cast<unsigned>(origin[axis] + high) / tile[axis] -
                 static_cast<unsigned>(origin[axis] + low) / tile[axis] + 1;
      }
      balls[thread] = {ends[0], ends[1], ends[2], place | static_cast<std::uint32_t>(square) << 12};
      own = tiles;
    }
    // Pairs of a ball and a tile, counted through.
    std::uint32_t until = own;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const std::uint32_t lower = __shfl_up_sync(whole_warp, until, distance);
      if (lane >= distance) until += lower;
    }
    if (lane == 31) warp_sums[warp] = until;
    __syncthreads();
    std::uint32_t lower_warps = 0;
    std::uint32_t pairs = 0;
#pragma unroll
    for (int w = 0; w < threads / 32; ++w) {
      const std::uint32_t sum = warp_sums[w];
      if (w < warp) lower_warps += sum;
      pairs += sum;
    }
    before[thread] = lower_warps + until - own;
    if (thread == 0) before[threads] = pairs;
    __syncthreads();
    // The tile of a pair, from the block's first one.
    const auto share_of = [&](std::uint32_t pair, int& k) {
      k = 0;
#pragma unroll
      for (int half = threads / 2; half > 0; half /= 2) {
        if (before[k + half] <= pair) k += half;
      }
      const Kept ball = balls[k];
      const auto tile_of = [](int at, unsigned edge) {
        return static_cast<int>((static_cast<unsigned>(at) + back * edge) / edge) - back;
      };
      const auto first_of = [](std::uint32_t ends) { return static_cast<int>(ends & 0xffffU) - shift; };
      const auto last_of = [](std::uint32_t ends) { return static_cast<int>(ends >> 16) - shift; };
      const int ax = tile_of(first_of(ball.x), tile_x);
      const int ay = tile_of(in_y + first_of(ball.y), tile_y);
      const int az = tile_of(in_z + first_of(ball.z), tile_z);
      const int nx = tile_of(last_of(ball.x), tile_x) - ax + 1;
      const int ny = tile_of(in_y + last_of(ball.y), tile_y) - ay + 1;
      const int rest = static_cast<int>(pair - before[k]);
      const int lines = static_cast<int>(__fdividef(static_cast<float>(rest) + 0.5F, static_cast<float>(nx)));
      const int planes = static_cast<int>(__fdividef(static_cast<float>(lines) + 0.5F, static_cast<float>(ny)));
      return Share{ax + rest - lines * nx, ay + lines - planes * ny, az + planes};
    };
    // What a tile has of a ball, both from the tile's first voxel. False: nothing.
    const auto box_of = [&](const Kept& ball, const Share& share, Box& box) {
      const auto square = static_cast<int>(ball.place >> 12);
      const int ox = share.x * tile_x, oy = share.y * tile_y - in_y, oz = share.z * tile_z - in_z;
      const int fx = max(static_cast<int>(ball.x & 0xffffU) - shift - ox, 0);
      const int lx = min(static_cast<int>(ball.x >> 16) - shift - ox, tile_x - 1);
      const int fy = max(static_cast<int>(ball.y & 0xffffU) - shift - oy, 0);
      const int ly = min(static_cast<int>(ball.y >> 16) - shift - oy, tile_y - 1);
      const int fz = max(static_cast<int>(ball.z & 0xffffU) - shift - oz, 0);
      const int lz = min(static_cast<int>(ball.z >> 16) - shift - oz, tile_z - 1);
      const int cx = static_cast<int>(ball.place & 63U) - ox;
      const int cy = static_cast<int>(ball.place >> 6 & 7U) - oy;
      const int cz = static_cast<int>(ball.place >> 9 & 7U) - oz;
      const int dx = max(max(fx - cx, cx - lx), 0) * block.side(0);
      const int dy = max(max(fy - cy, cy - ly), 0) * block.side(1);
      const int dz = max(max(fz - cz, cz - lz), 0) * block.side(2);
      box = Box::of(cx, cy, cz, square, fx, lx, fy, ly, fz, lz);
      return dx * dx + dy * dy + dz * dz < square;
    };
    const auto near_of = [](const Share& share) {
      const auto px = static_cast<unsigned>(share.x + 2), py = static_cast<unsigned>(share.y + 3),
                 pz = static_cast<unsigned>(share.z + 3);
      const bool near = px < near_x && py < near_y && pz < near_z;
      return near ? static_cast<int>((pz * near_y + py) * near_x + px) : -1;
    };
    for (std::uint32_t pair = thread; pair < pairs; pair += threads) {
      int k = 0;
      const Share share = share_of(pair, k);
      Box box;
      std::uint32_t memory = forgotten;
      if (box_of(balls[k], share, box)) {
        if (sample) atomicAdd(&task.lists.cursors->sampled, 1U);
        const int near = near_of(share);
        if (near >= 0 && pair < most_remembered) {
          memory = atomicAdd(&places[near], 1U) << 17 | static_cast<unsigned>(near) << 8 | k;
        } else if (near >= 0) {
          atomicAdd(&taken[near], 1U);
        }
      }
      if (pair < most_remembered) remembered[pair] = memory;
    }
    if (sample) continue;
    __syncthreads();
    if (warp == 0) {
      std::uint32_t running = 0;
      for (int i = lane; i < (near_tiles + 31) / 32 * 32; i += 32) {
        const std::uint32_t of_remembered = i < near_tiles ? places[i] : 0;
        const std::uint32_t length = of_remembered + (i < near_tiles ? taken[i] : 0);
        std::uint32_t end = length;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
          const std::uint32_t lower = __shfl_up_sync(whole_warp, end, distance);
          if (lane >= distance) end += lower;
        }
        if (i < near_tiles) {
          places[i] = running + end - length;
          lengths[i] = length;
          taken[i] = of_remembered;
        }
        running += __shfl_sync(whole_warp, end, 31);
      }
      if (lane == 0) base = atomicAdd(&task.lists.cursors->boxes, running);
    }
    __syncthreads();
    const Lists& lists = task.lists;
    const auto add_segment = [&](std::int64_t tile, std::uint32_t at, std::uint32_t length) {
      const std::uint32_t segment = atomicAdd(&lists.counts[tile], 1U);
      if (segment < lists.segment_room) {
        lists.segments[tile * lists.segment_room + segment] = {at, length};
      } else {
        atomicMax(&lists.cursors->most_segments, segment + 1);
      }
    };
    const auto tile_index = [&](std::int64_t tx, std::int64_t ty, std::int64_t tz) {
      return (tz * grid.tiles.y + ty) * grid.tiles.x + tx;
    };
    for (int i = thread; i < near_tiles; i += threads) {
      if (lengths[i] == 0) continue;
      add_segment(tile_index(tile_of_block_x + i % near_x, tile_of_block_y + i / near_x % near_y,
                             tile_of_block_z + i / near_x / near_y),
                  base + places[i], lengths[i]);
    }
    __syncthreads();
    const auto put = [&](std::uint32_t at, const Box& box) {
      if (at < lists.room) lists.boxes[at] = box;
    };
    for (std::uint32_t pair = thread; pair < pairs; pair += threads) {
      const std::uint32_t memory = pair < most_remembered ? remembered[pair] : forgotten;
      Box box;
      if (memory != forgotten) {
        const auto near = static_cast<int>(memory >> 8 & 0x1ffU);
        const Share share{near % near_x - 2, near / near_x % near_y - 3, near / near_x / near_y - 3};
        box_of(balls[memory & 0xffU], share, box);
        put(base + places[near] + (memory >> 17), box);
        continue;
      }
      int k = 0;
      const Share share = share_of(pair, k);
      if (!box_of(balls[k], share, box)) continue;
      const int near = near_of(share);
      if (near >= 0) {
        if (pair >= most_remembered) put(base + places[near] + atomicAdd(&taken[near], 1U), box);
        continue;
      }
      const std::uint32_t at = atomicAdd(&lists.cursors->boxes, 1U);
      add_segment(tile_index(block_x / tile_x + share.x, block_y / tile_y + share.y, block_z / tile_z + share.z), at, 1);
      put(at, box);
    }
  }
}

}  // namespace

void select(const cuda::Stream& stream, const Selection& selection) {
  const SquareRows<std::uint16_t>& squares = selection.squares;
  const Grid grid{static_cast<std::uint32_t>(squares.pitch / 64),
                  static_cast<std::uint32_t>((squares.y + edge - 1) / edge), Tiles(squares)};
  const std::int64_t all = std::int64_t{grid.across} * grid.down * ((squares.z + edge - 1) / edge);
  const std::int64_t blocks = (all + selection.every - 1) / selection.every;
  const cuda::LaunchShape shape{dim3(static_cast<unsigned>(blocks)), dim3(threads)};
  const bool sample = selection.every > 1;
  const char* const what = "select balls";
  if (selection.sides.cubic()) {
    if (sample) return cuda::launch(stream, shape, what, select_kernel<true, true>, selection, grid);
    return cuda::launch(stream, shape, what, select_kernel<true, false>, selection, grid);
  }
  if (sample) return cuda::launch(stream, shape, what, select_kernel<false, true>, selection, grid);
  cuda::launch(stream, shape, what, select_kernel<false, false>, selection, grid);
}

}  // namespace tamis::granulometry_detail::gpu::balls
