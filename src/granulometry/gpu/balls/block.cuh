// A block of 64 x 8 x 8 squares in shared memory with one around it: loaded, marked by the neighbours along the axes,
// and asked what is left of a ball. For select.cu.
#pragma once

#include "core/gpu/warp.cuh"
#include "granulometry/gpu/balls/boxes.hpp"
#include "granulometry/gpu/balls/root.cuh"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

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

}  // namespace
}  // namespace tamis::granulometry_detail::gpu::balls
