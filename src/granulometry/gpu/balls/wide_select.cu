// Which balls of squares of 32 bits have to be painted, and how much of each: boxes by tiles, as select.cu makes them of
// narrower squares. All voxels are looked at twice, first to count each tile's boxes, then to write them, so that a tile
// has one segment and lists are as long as they must be. A large ball's tiles are shared out to the lanes of a warp.
#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/balls/root.cuh"
#include "granulometry/gpu/balls/wide.hpp"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

using cuda::whole_warp;

constexpr int threads = 256;
/// A ball of more tiles is the whole warp's.
constexpr int most_alone = 4;

/// What is left of a ball, in voxels of the volume; x, y, z.
struct Ball {
  int middle[3], first[3], last[3];
  std::uint32_t square;
};

/// The tiles of a ball's box.
struct Span {
  int first[3], count[3];

  __device__ explicit Span(const Ball& ball) {
    constexpr int tile[3] = {tile_x, tile_y, tile_z};
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      first[axis] = ball.first[axis] / tile[axis];
      count[axis] = ball.last[axis] / tile[axis] - first[axis] + 1;
    }
  }
  [[nodiscard]] __device__ int tiles() const { return count[0] * count[1] * count[2]; }
};

/// Steps from a middle to the nearest of some that follow each other.
__device__ __forceinline__ int nearest(int first, int last, int middle) { return max(max(first - middle, middle - last), 0); }

struct Looking {
  WideRows squares;
  std::int64_t slice;  ///< samples
  Sides sides;

  __device__ int side(int axis) const { return axis == 0 ? sides.x : axis == 1 ? sides.y : sides.z; }

  /// What the neighbours along the axes leave of the ball at a place; false: nothing that its own voxel does not have.
  __device__ bool left_of(std::int64_t i, Ball& ball) const {
    const std::uint32_t square = squares.data[i];
    if (square < 2) return false;
    ball.square = square;
    const std::int64_t row = i / squares.pitch;
    const std::int64_t z = row / squares.y;
    const std::int64_t place[3] = {i - row * squares.pitch, row - z * squares.y, z};
    const std::int64_t count[3] = {squares.x, squares.y, squares.z};
    const std::int64_t step[3] = {1, squares.pitch, slice};
    const int radius = root_of(static_cast<int>(square) - 1);
    int away[3] = {};
    int all_away = 0;
    bool middle_only = true;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      int low = 0, high = 0;
      if (axis < 2 || !sides.flat) {
        const std::uint32_t below = place[axis] > 0 ? squares.data[i - step[axis]] : 0;
        const std::uint32_t above = place[axis] + 1 < count[axis] ? squares.data[i + step[axis]] : 0;
        const int h = side(axis);
        const int steps = radius / h;
        low = static_cast<int>(-min(std::int64_t{steps}, place[axis]));
        high = static_cast<int>(min(std::int64_t{steps}, count[axis] - 1 - place[axis]));
        // Half of the way between two middles.
        const auto steps_to = [&](std::uint32_t more) { return static_cast<int>((more + h * h) / (2 * h * h)); };
        if (below >= square) low = max(low, steps_to(below - square));
        if (above >= square) high = min(high, -steps_to(above - square));
        if (low > high) return false;
      }
      middle_only = middle_only && low == 0 && high == 0;
      ball.middle[axis] = static_cast<int>(place[axis]);
      ball.first[axis] = low;
      ball.last[axis] = high;
      const int length = max(max(low, -high), 0) * side(axis);
      away[axis] = length * length;
      all_away += away[axis];
    }
    if (middle_only || all_away >= static_cast<int>(square)) return false;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      // What is left away from the middle is narrower than the ball.
      const int half = root_of(static_cast<int>(square) - 1 - all_away + away[axis]) / side(axis);
      ball.first[axis] = ball.middle[axis] + max(ball.first[axis], -half);
      ball.last[axis] = ball.middle[axis] + min(ball.last[axis], half);
    }
    return true;
  }

  /// What a tile has of a ball, from the tile's first voxel on; false: nothing.
  __device__ bool box_of(const Ball& ball, const int (&tile)[3], BoxWords& box) const {
    constexpr int size[3] = {tile_x, tile_y, tile_z};
    int middle[3], first[3], last[3];
    std::uint32_t away = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int origin = tile[axis] * size[axis];
      middle[axis] = ball.middle[axis] - origin;
      first[axis] = max(ball.first[axis] - origin, 0);
      last[axis] = min(ball.last[axis] - origin, size[axis] - 1);
      const int length = nearest(first[axis], last[axis], middle[axis]) * side(axis);
      away += static_cast<unsigned>(length * length);
    }
    if (away >= ball.square) return false;
    box = words_of<std::uint32_t>(middle[0], middle[1], middle[2], static_cast<int>(ball.square), first[0], last[0],
                                  first[1], last[1], first[2], last[2]);
    return true;
  }

  /// Calls work(tile, box) for tiles of a ball's span: the first of them, and every so many-th one from there on.
  template <class Work>
  __device__ void for_tiles(const Ball& ball, const Tiles& tiles, int from, int step, Work work) const {
    const Span span(ball);
    for (int k = from; k < span.tiles(); k += step) {
      const int line = k / span.count[0];
      const int layer = line / span.count[1];
      const int tile[3] = {span.first[0] + k - line * span.count[0], span.first[1] + line - layer * span.count[1],
                           span.first[2] + layer};
      BoxWords box;
      if (box_of(ball, tile, box)) work((tile[2] * tiles.y + tile[1]) * tiles.x + tile[0], box);
    }
  }
};

/// The ball of a lane, in all lanes.
__device__ __forceinline__ Ball of_lane(const Ball& own, int lane) {
  Ball ball;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    ball.middle[axis] = __shfl_sync(whole_warp, own.middle[axis], lane);
    ball.first[axis] = __shfl_sync(whole_warp, own.first[axis], lane);
    ball.last[axis] = __shfl_sync(whole_warp, own.last[axis], lane);
  }
  ball.square = __shfl_sync(whole_warp, own.square, lane);
  return ball;
}

/// Calls work(tile, box) for all boxes there are. Rows are whole numbers of warps, so that all lanes are there.
template <class Work>
__device__ __forceinline__ void for_boxes(const Looking& looking, const Tiles& tiles, Work work) {
  const std::int64_t samples = looking.squares.z * looking.slice;
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  const int lane = threadIdx.x % 32;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < samples; i += all) {
    Ball own{};
    const bool some = looking.left_of(i, own);
    const bool alone = some && Span(own).tiles() <= most_alone;
    if (alone) looking.for_tiles(own, tiles, 0, 1, work);
    for (unsigned large = __ballot_sync(whole_warp, some && !alone); large != 0; large &= large - 1) {
      looking.for_tiles(of_lane(own, __ffs(static_cast<int>(large)) - 1), tiles, lane, 32, work);
    }
  }
}

__global__ void __launch_bounds__(threads)
    count_kernel(const Looking looking, const Tiles tiles, std::uint32_t* counts) {
  for_boxes(looking, tiles, [&](std::int64_t tile, const BoxWords&) { atomicAdd(&counts[tile], 1U); });
}

__global__ void __launch_bounds__(threads)
    write_kernel(const Looking looking, const Tiles tiles, const ListsOf<std::uint32_t> lists, std::uint32_t* next) {
  for_boxes(looking, tiles, [&](std::int64_t tile, const BoxWords& box) {
    const std::uint32_t at = atomicAdd(&next[tile], 1U);
    reinterpret_cast<BoxWords*>(lists.boxes)[at] = box;
    lists.squares[at] = square_of<std::uint32_t>(balls::box_of(box));
  });
}

constexpr int scanning = 1024;

/// One block: where each tile's segment begins. The counts become those of segments, one or none.
__global__ void __launch_bounds__(scanning)
    place_kernel(std::uint32_t* counts, std::int64_t tiles, Segment* segments, std::uint32_t* next,
                 unsigned long long* boxes) {
  __shared__ unsigned long long sums[scanning];
  const std::int64_t share = (tiles + scanning - 1) / scanning;
  const std::int64_t begin = min(threadIdx.x * share, tiles);
  const std::int64_t end = min(begin + share, tiles);
  unsigned long long own = 0;
  for (std::int64_t tile = begin; tile < end; ++tile) own += counts[tile];
  sums[threadIdx.x] = own;
  __syncthreads();
  for (int distance = 1; distance < scanning; distance *= 2) {
    const int from = static_cast<int>(threadIdx.x) - distance;
    const unsigned long long lower = from >= 0 ? sums[from] : 0;
    __syncthreads();
    sums[threadIdx.x] += lower;
    __syncthreads();
  }
  if (threadIdx.x == scanning - 1) *boxes = sums[threadIdx.x];
  auto at = static_cast<std::uint32_t>(sums[threadIdx.x] - own);
  for (std::int64_t tile = begin; tile < end; ++tile) {
    const std::uint32_t count = counts[tile];
    segments[tile] = {at, count};
    next[tile] = at;
    counts[tile] = count > 0 ? 1 : 0;
    at += count;
  }
}

cuda::LaunchShape blocks_for(const WideRows& squares) {
  constexpr std::int64_t most_blocks = 1 << 16;
  const std::int64_t blocks = (squares.z * squares.slice() + threads - 1) / threads;
  return {dim3(static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, most_blocks))), dim3(threads)};
}

}  // namespace

void count_boxes(const cuda::Stream& stream, const WideRows& squares, const Sides& sides, const WideSegments& segments) {
  const Tiles tiles(squares);
  cuda::launch(stream, blocks_for(squares), "count boxes of balls", count_kernel,
               Looking{squares, squares.slice(), sides}, tiles, segments.counts);
  cuda::launch(stream, {dim3(1), dim3(scanning)}, "place boxes of balls", place_kernel, segments.counts, tiles.count(),
               segments.segments, segments.next, segments.boxes);
}

void write_boxes(const cuda::Stream& stream, const WideRows& squares, const Sides& sides,
                 const ListsOf<std::uint32_t>& lists, std::uint32_t* next) {
  cuda::launch(stream, blocks_for(squares), "write boxes of balls", write_kernel,
               Looking{squares, squares.slice(), sides}, Tiles(squares), lists, next);
}

}  // namespace tamis::granulometry_detail::gpu::balls
