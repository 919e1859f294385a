// Which balls of squares of 32 bits have to be painted, and how much of each: boxes by tiles, as select.cu makes them
// of narrower squares. All voxels are looked at three times: for the largest ball that covers each tile, below which no
// box is of use there, to count each tile's boxes, and to write them, so that a tile has one segment and lists are as
// long as they must be. A large ball's tiles are shared out to the lanes of a warp.
#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/balls/root.cuh"
#include "granulometry/gpu/balls/wide.hpp"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

using cuda::whole_warp;

constexpr int threads = 256;
constexpr int warps = threads / 32;
/// A ball of more tiles is the whole warp's.
constexpr int most_alone = 4;

/// What is left of a ball, in voxels of the volume; x, y, z.
struct Ball {
  int middle[3], first[3], last[3];
  std::uint32_t square;
};

__device__ constexpr int tile_size(int axis) { return axis == 0 ? tile_x : axis == 1 ? tile_y : tile_z; }

/// The tiles of a ball's box.
struct Span {
  int first[3], count[3];

  __device__ explicit Span(const Ball& ball) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      first[axis] = ball.first[axis] / tile_size(axis);
      count[axis] = ball.last[axis] / tile_size(axis) - first[axis] + 1;
    }
  }
  [[nodiscard]] __device__ int tiles() const { return count[0] * count[1] * count[2]; }
};

/// A voxel: its place, and where its sample is.
struct Place {
  std::uint32_t x, y, z;
  std::int64_t at;
};

template <bool cubic>
struct Looking {
  WideRows squares;
  Sides sides;
  Tiles tiles;

  __device__ int side(int axis) const { return cubic ? 1 : axis == 0 ? sides.x : axis == 1 ? sides.y : sides.z; }

  /// What the neighbours along the axes leave of the ball at a place; false: nothing that its own voxel does not have.
  __device__ bool left_of(const Place& voxel, Ball& ball) const {
    const std::uint32_t* const sample = squares.data + voxel.at;
    const std::uint32_t square = *sample;
    if (square < 2) return false;
    ball.square = square;
    const int place[3] = {static_cast<int>(voxel.x), static_cast<int>(voxel.y), static_cast<int>(voxel.z)};
    const int count[3] = {static_cast<int>(squares.x), static_cast<int>(squares.y), static_cast<int>(squares.z)};
    const std::int64_t step[3] = {1, squares.pitch, squares.y * squares.pitch};
    const int radius = root_of(static_cast<int>(square) - 1);
    int away[3] = {};
    int all_away = 0;
    bool middle_only = true;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      int low = 0, high = 0;
      if (axis < 2 || !sides.flat) {
        const std::uint32_t below = place[axis] > 0 ? sample[-step[axis]] : 0;
        const std::uint32_t above = place[axis] + 1 < count[axis] ? sample[step[axis]] : 0;
        const int h = side(axis);
        const int steps = radius / h;
        low = -min(steps, place[axis]);
        high = min(steps, count[axis] - 1 - place[axis]);
        // Half of the way between two middles.
        const auto steps_to = [&](std::uint32_t more) { return static_cast<int>((more + h * h) / (2 * h * h)); };
        if (below >= square) low = max(low, steps_to(below - square));
        if (above >= square) high = min(high, -steps_to(above - square));
        if (low > high) return false;
      }
      middle_only = middle_only && low == 0 && high == 0;
      ball.middle[axis] = place[axis];
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
    int middle[3], first[3], last[3];
    std::uint32_t away = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int origin = tile[axis] * tile_size(axis);
      middle[axis] = ball.middle[axis] - origin;
      first[axis] = max(ball.first[axis] - origin, 0);
      last[axis] = min(ball.last[axis] - origin, tile_size(axis) - 1);
      const int length = max(max(first[axis] - middle[axis], middle[axis] - last[axis]), 0) * side(axis);
      away += static_cast<unsigned>(length * length);
    }
    if (away >= ball.square) return false;
    box = words_of<std::uint32_t>(middle[0], middle[1], middle[2], static_cast<int>(ball.square), first[0], last[0],
                                  first[1], last[1], first[2], last[2]);
    return true;
  }

  /// Whether a ball, of which a box may be all that is left, has all of a tile.
  __device__ bool covers(const Ball& ball, const int (&tile)[3]) const {
    std::uint64_t away = 0;  // a tile may be much longer than the ball
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      if (axis == 2 && sides.flat) continue;
      const int middle = ball.middle[axis] - tile[axis] * tile_size(axis);
      const std::int64_t length = std::int64_t{max(middle, tile_size(axis) - 1 - middle)} * side(axis);
      away += static_cast<std::uint64_t>(length * length);
    }
    return away < ball.square && (!sides.flat || squares.z == 1);
  }

  /// Calls work(tile, index of the tile) for tiles of a ball's span: the one at `from`, and each `step`-th one after
  /// it.
  template <class Work>
  __device__ void for_tiles(const Ball& ball, int from, int step, Work work) const {
    const Span span(ball);
    for (int k = from; k < span.tiles(); k += step) {
      const int line = k / span.count[0];
      const int layer = line / span.count[1];
      const int tile[3] = {span.first[0] + k - line * span.count[0], span.first[1] + line - layer * span.count[1],
                           span.first[2] + layer};
      work(tile, (tile[2] * tiles.y + tile[1]) * tiles.x + tile[0]);
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

/// Calls work(ball, tile, index of the tile) for all balls that are left and the tiles of their boxes. Rows are whole
/// numbers of warps, so that all lanes are there.
template <bool cubic, class Work>
__device__ __forceinline__ void for_balls(const Looking<cubic>& looking, Work work) {
  const int lane = threadIdx.x % 32;
  const auto words_of_row = static_cast<std::uint32_t>(looking.squares.pitch / 32);
  const auto rows = static_cast<std::uint32_t>(looking.squares.y);
  const std::uint32_t words = static_cast<std::uint32_t>(looking.squares.z) * rows * words_of_row;
  for (std::uint32_t word = blockIdx.x * warps + threadIdx.x / 32; word < words; word += gridDim.x * warps) {
    const std::uint32_t row = word / words_of_row;
    const std::uint32_t z = row / rows;
    const Place place{(word - row * words_of_row) * 32 + static_cast<unsigned>(lane), row - z * rows, z,
                      std::int64_t{word} * 32 + lane};
    Ball own{};
    const bool some = looking.left_of(place, own);
    const bool alone = some && Span(own).tiles() <= most_alone;
    if (alone) looking.for_tiles(own, 0, 1, [&](const int(&tile)[3], std::int64_t index) { work(own, tile, index); });
    for (unsigned large = __ballot_sync(whole_warp, some && !alone); large != 0; large &= large - 1) {
      const Ball ball = of_lane(own, __ffs(static_cast<int>(large)) - 1);
      looking.for_tiles(ball, lane, 32, [&](const int(&tile)[3], std::int64_t index) { work(ball, tile, index); });
    }
  }
}

/// For each tile the square of the largest ball that has all of it.
template <bool cubic>
__global__ void __launch_bounds__(threads) cover_kernel(const Looking<cubic> looking, std::uint32_t* covers) {
  for_balls(looking, [&](const Ball& ball, const int(&tile)[3], std::int64_t index) {
    if (covers[index] < ball.square && looking.covers(ball, tile)) atomicMax(&covers[index], ball.square);
  });
}

template <bool cubic>
__global__ void __launch_bounds__(threads)
    count_kernel(const Looking<cubic> looking, const std::uint32_t* covers, std::uint32_t* counts) {
  for_balls(looking, [&](const Ball& ball, const int(&tile)[3], std::int64_t index) {
    BoxWords box;
    if (ball.square >= covers[index] && looking.box_of(ball, tile, box)) atomicAdd(&counts[index], 1U);
  });
}

template <bool cubic>
__global__ void __launch_bounds__(threads) write_kernel(const Looking<cubic> looking, const std::uint32_t* covers,
                                                        const ListsOf<std::uint32_t> lists, std::uint32_t* next) {
  for_balls(looking, [&](const Ball& ball, const int(&tile)[3], std::int64_t index) {
    BoxWords box;
    if (ball.square < covers[index] || !looking.box_of(ball, tile, box)) return;
    const std::uint32_t at = atomicAdd(&next[index], 1U);
    reinterpret_cast<BoxWords*>(lists.boxes)[at] = box;
    lists.squares[at] = ball.square;
  });
}

constexpr int scanning = 1024;

/// One block: where each tile's segment begins. The counts become those of segments, one or none.
__global__ void __launch_bounds__(scanning) place_kernel(std::uint32_t* counts, std::int64_t tiles, Segment* segments,
                                                         std::uint32_t* next, unsigned long long* boxes) {
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

template <bool cubic>
void count(const cuda::Stream& stream, const Looking<cubic>& looking, const WideSegments& segments) {
  const cuda::LaunchShape shape = blocks_for(looking.squares);
  cuda::launch(stream, shape, "find covered tiles", cover_kernel<cubic>, looking, segments.covers);
  cuda::launch(stream, shape, "count boxes of balls", count_kernel<cubic>, looking, segments.covers, segments.counts);
}

}  // namespace

void count_boxes(const cuda::Stream& stream, const WideRows& squares, const Sides& sides,
                 const WideSegments& segments) {
  const Tiles tiles(squares);
  if (sides.cubic()) {
    count<true>(stream, {squares, sides, tiles}, segments);
  } else {
    count<false>(stream, {squares, sides, tiles}, segments);
  }
  cuda::launch(stream, {dim3(1), dim3(scanning)}, "place boxes of balls", place_kernel, segments.counts, tiles.count(),
               segments.segments, segments.next, segments.boxes);
}

void write_boxes(const cuda::Stream& stream, const WideRows& squares, const Sides& sides, const WideSegments& segments,
                 const ListsOf<std::uint32_t>& lists) {
  const cuda::LaunchShape shape = blocks_for(squares);
  const Tiles tiles(squares);
  const char* const what = "write boxes of balls";
  if (sides.cubic()) {
    cuda::launch(stream, shape, what, write_kernel<true>, Looking<true>{squares, sides, tiles}, segments.covers, lists,
                 segments.next);
  } else {
    cuda::launch(stream, shape, what, write_kernel<false>, Looking<false>{squares, sides, tiles}, segments.covers,
                 lists, segments.next);
  }
}

}  // namespace tamis::granulometry_detail::gpu::balls
