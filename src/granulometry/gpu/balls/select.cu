// Which balls have to be painted, and how much of each: the rules of cpu/balls/select.hpp, block by block in shared
// memory. A block first marks by the six neighbours along the axes, then asks the diagonal ones of what is left, and
// writes the boxes of each tile that it touches one after the other: a segment.
#include "core/gpu/launch.hpp"
#include "granulometry/gpu/balls/pairs.cuh"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

/// Pairs of a ball and a tile that a thread remembers from counting to writing.
constexpr int remembered = 3;

struct Grid {
  std::uint32_t across, down;  ///< blocks along x and y; there are fewer than 2^32 of all
  Tiles tiles;
};

/// The place in a list of a lane that asks for one, in the order of lanes.
__device__ __forceinline__ int place_in_list(bool asks, std::uint32_t* count) {
  const unsigned mask = __ballot_sync(whole_warp, asks);
  if (mask == 0) return 0;
  const int lane = threadIdx.x % 32;
  std::uint32_t at = 0;
  if (lane == 0) at = atomicAdd(count, static_cast<std::uint32_t>(__popc(mask)));
  at = __shfl_sync(whole_warp, at, 0);
  return static_cast<int>(at + __popc(mask & ((1U << lane) - 1)));
}

/// Adds boxes to the lists of tiles.
class Writer {
 public:
  /// `first`: the block's first tile.
  __device__ __forceinline__ Writer(const Lists& lists, const Tiles& tiles, std::uint32_t first)
      : lists_(lists), tiles_(tiles), first_(first) {}

  __device__ __forceinline__ void put(std::uint32_t at, const Box& box) const {
    if (at >= lists_.room) return;
    lists_.boxes[at] = box;
    lists_.squares[at] = box.square;
  }
  __device__ __forceinline__ void add_segment(const Share& share, std::uint32_t at, std::uint32_t length) const {
    const int line = share.z * static_cast<int>(tiles_.y) + share.y;
    const std::uint32_t tile = first_ + static_cast<unsigned>(line * static_cast<int>(tiles_.x) + share.x);
    const std::uint32_t segment = atomicAdd(&lists_.counts[tile], 1U);
    if (segment < lists_.segment_room) {
      lists_.segments[std::int64_t{tile} * lists_.segment_room + segment] = {at, length};
    } else {
      atomicMax(&lists_.cursors->most_segments, segment + 1);
    }
  }
  /// A segment of one box.
  __device__ __forceinline__ void add(const Share& share, const Box& box) const {
    const std::uint32_t at = take(1);
    add_segment(share, at, 1);
    put(at, box);
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t take(std::uint32_t boxes) const {
    return atomicAdd(&lists_.cursors->boxes, boxes);
  }

 private:
  const Lists& lists_;
  const Tiles& tiles_;
  std::uint32_t first_;
};

/// By the first warp: where the segments of near tiles begin, one after the other.
__device__ __forceinline__ void place_segments(const Writer& writer, Space& space) {
  const int lane = threadIdx.x;
  std::uint32_t running = 0;
  for (int i = lane; i < (near_tiles + 31) / 32 * 32; i += 32) {
    const std::uint32_t of_remembered = i < near_tiles ? space.places[i] : 0;
    const std::uint32_t length = of_remembered + (i < near_tiles ? space.taken[i] : 0);
    const std::uint32_t end = sum_until(length);
    if (i < near_tiles) {
      space.places[i] = running + end - length;
      space.lengths[i] = length;
      space.taken[i] = of_remembered;
    }
    running += __shfl_sync(whole_warp, end, 31);
  }
  if (lane == 0) space.base = writer.take(running);
}

/// A pair between counting and writing: its ball, the tile's index, and from bit 17 on the place in the tile's segment.
constexpr std::uint32_t forgotten = ~0U;
__device__ __forceinline__ std::uint32_t memory_of(int k, int near, std::uint32_t place) {
  return static_cast<unsigned>(k) | static_cast<unsigned>(near) << 8 | place << 17;
}

/// Writes the boxes of the first balls, as many as there are threads, or counts them for a sample. All threads of the
/// block call it; it ends with a barrier. Of its first pairs a thread remembers where they go, of the very first the
/// box too: more would not fit into its registers.
template <bool cubic, bool sample>
__device__ __forceinline__ void write_boxes(const Pairs<cubic>& pairs, std::uint32_t count, const Writer& writer,
                                            Cursors* cursors, Space& space) {
  const auto thread = threadIdx.x;
  Box first{};
  std::uint32_t memories[remembered];
#pragma unroll
  for (int i = 0; i < remembered; ++i) {
    memories[i] = forgotten;
    const std::uint32_t pair = thread + i * threads;
    if (pair >= count) continue;
    int k = 0;
    Box box;
    const Share share = pairs.share_of(pair, k);
    if (!pairs.box_of(k, share, box)) continue;
    if (sample) atomicAdd(&cursors->sampled, 1U);
    const int near = pairs.near_of(share);
    if (near >= 0) {
      memories[i] = memory_of(k, near, atomicAdd(&space.places[near], 1U));
    } else if (!sample) {
      writer.add(share, box);
    }
    if (i == 0) first = box;
  }
  for (std::uint32_t pair = thread + remembered * threads; pair < count; pair += threads) {
    int k = 0;
    Box box;
    const Share share = pairs.share_of(pair, k);
    if (!pairs.box_of(k, share, box)) continue;
    if (sample) atomicAdd(&cursors->sampled, 1U);
    if (const int near = pairs.near_of(share); near >= 0) atomicAdd(&space.taken[near], 1U);
  }
  __syncthreads();
  if (sample) return;
  if (thread < 32) place_segments(writer, space);
  __syncthreads();
  for (int i = thread; i < near_tiles; i += threads) {
    if (space.lengths[i] == 0) continue;
    writer.add_segment(pairs.share_of_near(i), space.base + space.places[i], space.lengths[i]);
  }
#pragma unroll
  for (int i = 0; i < remembered; ++i) {
    const std::uint32_t memory = memories[i];
    if (memory == forgotten) continue;
    const auto near = static_cast<int>(memory >> 8 & 0x1ffU);
    if (i > 0) pairs.box_of(static_cast<int>(memory & 0xffU), pairs.share_of_near(near), first);
    writer.put(space.base + space.places[near] + (memory >> 17), first);
  }
  for (std::uint32_t pair = thread + remembered * threads; pair < count; pair += threads) {
    int k = 0;
    Box box;
    const Share share = pairs.share_of(pair, k);
    if (!pairs.box_of(k, share, box)) continue;
    if (const int near = pairs.near_of(share); near >= 0) {
      writer.put(space.base + space.places[near] + atomicAdd(&space.taken[near], 1U), box);
    } else {
      writer.add(share, box);
    }
  }
  __syncthreads();
}

template <bool cubic, bool sample>
__global__ void __launch_bounds__(threads, 6) select_kernel(const Selection task, const Grid grid) {
  __shared__ Space space;
  const auto* const lanes = reinterpret_cast<const std::uint16_t*>(space.block);
  const int thread = threadIdx.x;
  const std::uint32_t index = blockIdx.x * static_cast<std::uint32_t>(task.every);
  const std::uint32_t line = index / grid.across;
  const Block<cubic> block{task, static_cast<int>(index - line * grid.across) * 64,
                           static_cast<int>(line % grid.down) * edge, static_cast<int>(line / grid.down) * edge};
  if (thread == 0) space.marked_count = space.kept_count = 0;
  load(task, block.x, block.y, block.z, space.block);
  __syncthreads();
  mark<cubic>(task, space.block, space.marked, &space.marked_count);
  __syncthreads();
  const std::uint32_t marked = space.marked_count;
  if (marked == 0) return;
  Pairs<cubic> pairs(space, block);
  const auto tile_line = static_cast<std::uint32_t>(block.z / tile_z) * static_cast<std::uint32_t>(grid.tiles.y) +
                         static_cast<std::uint32_t>(block.y / tile_y);
  const Writer writer(
      task.lists, grid.tiles,
      tile_line * static_cast<std::uint32_t>(grid.tiles.x) + static_cast<std::uint32_t>(block.x / tile_x));
  std::uint32_t kept = 0;  // of all threads alike
  for (std::uint32_t first = 0; first < marked || kept > 0; first += threads) {
    if (first < marked) {
      bool keep = first + thread < marked;
      Kept ball{};
      std::uint16_t tiles = 0;
      if (keep) {
        const int place = space.marked[first + thread];
        int square = 0;
        int at = 0;
        Reach reach;
        keep = block.reach_of(lanes, place, square, at, reach) && !block.lies_in_diagonal(lanes, square, at);
        if (keep) ball = pairs.ball_of(place, square, reach, tiles);
        if (sample && keep && square <= dense_most) atomicAdd(&task.lists.cursors->small, 1U);
      }
      const int to = place_in_list(keep, &space.kept_count);
      if (keep) {
        space.balls[to] = ball;
        space.tiles[to] = tiles;
      }
      __syncthreads();
      kept = space.kept_count;
      if (kept < threads && first + threads < marked) {
        __syncthreads();  // everybody has read how many are kept
        continue;
      }
    }
    for (int i = thread; i < near_tiles; i += threads) space.places[i] = space.taken[i] = 0;
    const std::uint32_t now = min(kept, static_cast<std::uint32_t>(threads));
    write_boxes<cubic, sample>(pairs, pairs.count_through(now), writer, task.lists.cursors, space);
    kept -= now;  // the rest moves to the front
    if (static_cast<unsigned>(thread) < kept) {
      space.balls[thread] = space.balls[threads + thread];
      space.tiles[thread] = space.tiles[threads + thread];
    }
    if (thread == 0) space.kept_count = kept;
    __syncthreads();
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
