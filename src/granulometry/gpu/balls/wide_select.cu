// Which balls of squares of 32 and 64 bits have to be painted, and how much of each: boxes by tiles, as select.cu makes
// them of narrower squares. All voxels are looked at three times: for the largest ball that covers each tile, below
// which no box is of use there, to count each tile's boxes, and to write them, so that a tile has one segment and lists
// are as long as they must be. A large ball's tiles are shared out to the lanes of a warp.
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
template <class Lane>
struct Ball {
  int middle[3], first[3], last[3];
  Lane square;
};

__device__ constexpr int tile_size(int axis) { return axis == 0 ? tile_x : axis == 1 ? tile_y : tile_z; }

/// The tiles of a ball's box.
struct Span {
  int first[3], count[3];

  template <class Lane>
  __device__ explicit Span(const Ball<Lane>& ball) {
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

template <class Sample, Form form>
struct Looking {
  using Lane = Sample;
  using Number = balls::Number<form>;

  SquareRows<Lane> squares;
  Sides sides;
  Tiles tiles;

  __device__ int side(int axis) const {
    return form == Form::Cubic ? 1 : axis == 0 ? sides.x : axis == 1 ? sides.y : sides.z;
  }

  /// The largest number of steps whose square is below that of a ball.
  __device__ int steps_in(Number square, int axis) const {
    if constexpr (form == Form::Exact) {
      return steps_below(square, side(axis), 1.0F / static_cast<float>(side(axis)));
    } else {
      return root_of(square - 1) / side(axis);
    }
  }
  /// Half of the way between the middles of two balls that are so different, in whole steps.
  __device__ int steps_to(Number more, int axis) const {
    const Number area = Number{side(axis)} * side(axis);
    if constexpr (form == Form::Exact) {
      constexpr double most = 1 << 24;
      const auto steps =
          static_cast<int>(min(static_cast<double>(more + area) * (0.5 / static_cast<double>(area)), most));
      const Number sum = more + area - 2 * area * steps;  // a guess may be one too small, or too large
      return sum < 0 ? steps - 1 : sum >= 2 * area && steps < most ? steps + 1 : steps;
    } else {
      return static_cast<int>(static_cast<unsigned>(more + area) / static_cast<unsigned>(2 * area));
    }
  }

  /// What the neighbours along the axes leave of the ball at a place; false: nothing that its own voxel does not have.
  __device__ bool left_of(const Place& voxel, Ball<Lane>& ball) const {
    const Lane* const sample = squares.data + voxel.at;
    const Lane square = *sample;
    if (square < 2) return false;
    ball.square = square;
    const int place[3] = {static_cast<int>(voxel.x), static_cast<int>(voxel.y), static_cast<int>(voxel.z)};
    const int count[3] = {static_cast<int>(squares.x), static_cast<int>(squares.y), static_cast<int>(squares.z)};
    const std::int64_t step[3] = {1, squares.pitch, squares.y * squares.pitch};
    const auto of_ball = static_cast<Number>(square);
    Number away[3] = {};
    Number all_away = 0;
    bool middle_only = true;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      int low = 0, high = 0;
      if (axis < 2 || !sides.flat) {
        const Lane below = place[axis] > 0 ? sample[-step[axis]] : 0;
        const Lane above = place[axis] + 1 < count[axis] ? sample[step[axis]] : 0;
        const int steps = steps_in(of_ball, axis);
        low = -min(steps, place[axis]);
        high = min(steps, count[axis] - 1 - place[axis]);
        if (below >= square) low = max(low, steps_to(static_cast<Number>(below - square), axis));
        if (above >= square) high = min(high, -steps_to(static_cast<Number>(above - square), axis));
        if (low > high) return false;
      }
      middle_only = middle_only && low == 0 && high == 0;
      ball.middle[axis] = place[axis];
      ball.first[axis] = low;
      ball.last[axis] = high;
      const int length = max(max(low, -high), 0) * side(axis);
      away[axis] = Number{length} * length;
      all_away += away[axis];
    }
    if (middle_only || all_away >= of_ball) return false;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      // What is left away from the middle is narrower than the ball.
      const int half = steps_in(of_ball - all_away + away[axis], axis);
      ball.first[axis] = ball.middle[axis] + max(ball.first[axis], -half);
      ball.last[axis] = ball.middle[axis] + min(ball.last[axis], half);
    }
    return true;
  }

  /// What a tile has of a ball, from the tile's first voxel on; false: nothing.
  __device__ bool box_of(const Ball<Lane>& ball, const int (&tile)[3], BoxWords& box) const {
    int middle[3], first[3], last[3];
    Number away = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int origin = tile[axis] * tile_size(axis);
      middle[axis] = ball.middle[axis] - origin;
      first[axis] = max(ball.first[axis] - origin, 0);
      last[axis] = min(ball.last[axis] - origin, tile_size(axis) - 1);
      const int length = max(max(first[axis] - middle[axis], middle[axis] - last[axis]), 0) * side(axis);
      away += Number{length} * length;
    }
    if (away >= static_cast<Number>(ball.square)) return false;
    box = words_of<Lane>(middle[0], middle[1], middle[2], static_cast<int>(ball.square), first[0], last[0], first[1],
                         last[1], first[2], last[2]);
    return true;
  }

  /// Whether a ball, of which a box may be all that is left, has all of a tile.
  __device__ bool covers(const Ball<Lane>& ball, const int (&tile)[3]) const {
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
  __device__ void for_tiles(const Ball<Lane>& ball, int from, int step, Work work) const {
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
template <class Lane>
__device__ __forceinline__ Ball<Lane> of_lane(const Ball<Lane>& own, int lane) {
  Ball<Lane> ball;
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
template <class Looking, class Work>
__device__ __forceinline__ void for_balls(const Looking& looking, Work work) {
  using Ball = balls::Ball<typename Looking::Lane>;
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

__device__ __forceinline__ void raise(std::uint32_t* to, std::uint32_t square) { atomicMax(to, square); }
__device__ __forceinline__ void raise(std::uint64_t* to, std::uint64_t square) {
  atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(square));
}

/// For each tile the square of the largest ball that has all of it.
template <class Lane, Form form>
__global__ void __launch_bounds__(threads) cover_kernel(const Looking<Lane, form> looking, Lane* covers) {
  for_balls(looking, [&](const Ball<Lane>& ball, const int(&tile)[3], std::int64_t index) {
    if (covers[index] < ball.square && looking.covers(ball, tile)) raise(&covers[index], ball.square);
  });
}

template <class Lane, Form form>
__global__ void __launch_bounds__(threads)
    count_kernel(const Looking<Lane, form> looking, const Lane* covers, std::uint32_t* counts) {
  for_balls(looking, [&](const Ball<Lane>& ball, const int(&tile)[3], std::int64_t index) {
    BoxWords box;
    if (ball.square >= covers[index] && looking.box_of(ball, tile, box)) atomicAdd(&counts[index], 1U);
  });
}

template <class Lane, Form form>
__global__ void __launch_bounds__(threads) write_kernel(const Looking<Lane, form> looking, const Lane* covers,
                                                        const ListsOf<Lane> lists, std::uint32_t* next) {
  for_balls(looking, [&](const Ball<Lane>& ball, const int(&tile)[3], std::int64_t index) {
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

/// Calls work with what looks at the squares, of the form that does, and the shape of a launch.
template <class Lane, class Work>
void with_looking(const WideTask<Lane>& task, bool exact, Work work) {
  constexpr std::int64_t most_blocks = 1 << 16;
  const Tiles tiles(task.squares);
  const std::int64_t blocks = (task.squares.z * task.squares.slice() + threads - 1) / threads;
  const cuda::LaunchShape shape{dim3(static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, most_blocks))),
                                dim3(threads)};
  if constexpr (sizeof(Lane) == 4) {
    if (!exact && task.sides.cubic()) return work(Looking<Lane, Form::Cubic>{task.squares, task.sides, tiles}, shape);
    if (!exact) return work(Looking<Lane, Form::Sides>{task.squares, task.sides, tiles}, shape);
  }
  work(Looking<Lane, Form::Exact>{task.squares, task.sides, tiles}, shape);
}

}  // namespace

template <class Lane>
void count_boxes(const cuda::Stream& stream, const WideTask<Lane>& task, bool exact,
                 const WideSegments<Lane>& segments) {
  with_looking(task, exact, [&]<Form form>(const Looking<Lane, form>& looking, const cuda::LaunchShape& shape) {
    cuda::launch(stream, shape, "find covered tiles", cover_kernel<Lane, form>, looking, segments.covers);
    cuda::launch(stream, shape, "count boxes of balls", count_kernel<Lane, form>, looking, segments.covers,
                 segments.counts);
  });
  cuda::launch(stream, {dim3(1), dim3(scanning)}, "place boxes of balls", place_kernel, segments.counts,
               Tiles(task.squares).count(), segments.segments, segments.next, segments.boxes);
}

template <class Lane>
void write_boxes(const cuda::Stream& stream, const WideTask<Lane>& task, bool exact, const WideSegments<Lane>& segments,
                 const ListsOf<Lane>& lists) {
  with_looking(task, exact, [&]<Form form>(const Looking<Lane, form>& looking, const cuda::LaunchShape& shape) {
    cuda::launch(stream, shape, "write boxes of balls", write_kernel<Lane, form>, looking, segments.covers, lists,
                 segments.next);
  });
}

#define TAMIS_FOR_LANE(Lane)                                                                              \
  template void count_boxes(const cuda::Stream&, const WideTask<Lane>&, bool, const WideSegments<Lane>&); \
  template void write_boxes(const cuda::Stream&, const WideTask<Lane>&, bool, const WideSegments<Lane>&,  \
                            const ListsOf<Lane>&);
TAMIS_FOR_LANE(std::uint32_t)
TAMIS_FOR_LANE(std::uint64_t)
#undef TAMIS_FOR_LANE

}  // namespace tamis::granulometry_detail::gpu::balls
