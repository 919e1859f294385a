// Which balls have to be painted, and how much of each: the rules of cpu/balls/select.hpp, block by block in shared
// memory. A block first marks by the six neighbours along the axes, then asks the diagonal ones of what is left, and
// writes the boxes of each tile that it touches one after the other: a segment.
#include <algorithm>
#include <bit>

#include "core/gpu/launch.hpp"
#include "granulometry/gpu/balls/pairs.cuh"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

/// Division by a number that is known beforehand, in four instructions (Granlund and Montgomery 1994).
struct Divisor {
  std::uint32_t by, factor;
  int first_shift, second_shift;

  explicit Divisor(std::uint32_t number) : by(number) {
    const int bits = std::bit_width(number - 1);
    factor = static_cast<std::uint32_t>((((std::uint64_t{1} << bits) - by) << 32) / by + 1);
    first_shift = std::min(bits, 1);
    second_shift = std::max(bits - 1, 0);
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t quotient(std::uint32_t number) const {
    const std::uint32_t high = __umulhi(factor, number);
    return (high + ((number - high) >> first_shift)) >> second_shift;
  }
};

struct Grid {
  Divisor across, down;  ///< blocks along x and y; there are fewer than 2^32 of all
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

  __device__ __forceinline__ void put(std::uint32_t at, const BoxWords& box) const {
    if (at >= lists_.room) return;
    reinterpret_cast<BoxWords*>(lists_.boxes)[at] = box;
    lists_.squares[at] = square_of<std::uint16_t>(box_of(box));
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t tile_of(const Share& share) const {
    const int line = share.z * static_cast<int>(tiles_.y) + share.y;
    return first_ + static_cast<unsigned>(line * static_cast<int>(tiles_.x) + share.x);
  }
  /// The place of one more segment of a tile.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t take_segment(std::uint32_t tile) const {
    return atomicAdd(&lists_.counts[tile], 1U);
  }
  __device__ __forceinline__ void set_segment(std::uint32_t tile, std::uint32_t place, std::uint32_t at,
                                              std::uint32_t length) const {
    if (place < lists_.segment_room) {
      lists_.segments[std::int64_t{tile} * lists_.segment_room + place] = {at, length};
    } else {
      atomicMax(&lists_.cursors->most_segments, place + 1);
    }
  }
  /// A segment of one box.
  __device__ __forceinline__ void add(const Share& share, const BoxWords& box) const {
    const std::uint32_t at = take(1);
    const std::uint32_t tile = tile_of(share);
    set_segment(tile, take_segment(tile), at, 1);
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

/// Segments of near tiles on their way into the lists. The places that tiles give take long to come back, and nobody
/// waits for them before boxes are written.
template <bool cubic>
class Segments {
 public:
  /// Where they begin, one after the other from the block's base on, in any order. All threads of a warp call it.
  __device__ __forceinline__ void begin(const Writer& writer, Space& space) {
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
      const int near = near_of(turn);
      lengths_[turn] = 0;
      if (near / 32 * 32 >= near_tiles) continue;  // of the whole warp
      const bool some = near < near_tiles;
      lengths_[turn] = some ? space.counted[near] : 0U;
      const std::uint32_t until = sum_until(lengths_[turn]);
      std::uint32_t at = 0;
      if (threadIdx.x % 32 == 31) at = atomicAdd(&space.base, until);
      begins_[turn] = __shfl_sync(whole_warp, at, 31) + until - lengths_[turn];
      if (lengths_[turn] == 0) continue;
      places_[turn] = writer.take_segment(writer.tile_of(Pairs<cubic>::share_of_near(near)));
      space.counted[near] = begins_[turn];
    }
  }
  __device__ __forceinline__ void end(const Writer& writer) const {
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
      if (lengths_[turn] == 0) continue;
      const std::uint32_t tile = writer.tile_of(Pairs<cubic>::share_of_near(near_of(turn)));
      writer.set_segment(tile, places_[turn], begins_[turn], lengths_[turn]);
    }
  }

 private:
  static constexpr int turns = (near_tiles + threads - 1) / threads;
  __device__ __forceinline__ static int near_of(int turn) { return static_cast<int>(threadIdx.x) + turn * threads; }

  std::uint32_t begins_[turns], lengths_[turns], places_[turns];
};

/// Pairs that are written together.
template <bool cubic>
struct Part {
  const Pairs<cubic>& pairs;
  const Writer& writer;
  std::uint32_t first, end;
};

/// Calls work with the box, and the index of its tile, of each of a thread's pairs that has a near one. Boxes of tiles
/// farther away are passed to `far`. All threads of a warp call it.
template <bool cubic, class Work, class Far>
__device__ __forceinline__ void for_boxes(const Part<cubic>& part, Work work, Far far) {
  const std::uint32_t lane = threadIdx.x % 32;
  for (std::uint32_t first = part.first + threadIdx.x - lane; first < part.end; first += threads) {
    const int k = part.pairs.ball_of_pair(first);
    const std::uint32_t pair = first + lane;
    if (pair >= part.end) continue;
    BoxWords box;
    const Share share = part.pairs.share_of(pair, k);
    if (!part.pairs.box_of(k, share, box)) continue;
    if (const int near = part.pairs.near_of(share); near >= 0) {
      work(near, box);
    } else {
      far(share, box);
    }
  }
}

/// Writes boxes by way of a stage, which has room for the part's. All threads of the block call it; it ends with a
/// barrier.
template <bool cubic>
__device__ __forceinline__ void write_boxes(const Part<cubic>& part, const Stage& stage, Space& space) {
  const auto thread = threadIdx.x;
  // Room in the lists for all pairs: a few of them have no box, and then a few boxes of the lists are nobody's. This is
  // early enough that nobody waits for it.
  const std::uint32_t base = thread == 0 ? part.writer.take(part.end - part.first) : 0U;
  std::uint32_t staged = thread;  // the thread's next place
  for_boxes(
      part,
      [&](int near, const BoxWords& box) {
        stage.boxes[staged] = box;
        stage.memories[staged] = static_cast<unsigned>(near) | atomicAdd(&space.counted[near], 1U) << 9;
        staged += threads;
      },
      [&](const Share& share, const BoxWords& box) { part.writer.add(share, box); });
  if (thread == 0) space.base = base;
  __syncthreads();
  Segments<cubic> segments;
  segments.begin(part.writer, space);
  __syncthreads();
  for (std::uint32_t i = thread; i < staged; i += threads) {
    const std::uint32_t memory = stage.memories[i];
    part.writer.put(space.counted[memory & 0x1ffU] + (memory >> 9), stage.boxes[i]);
  }
  segments.end(part.writer);
  __syncthreads();
}

/// Adds what a part takes to a sample's count.
template <bool cubic>
__device__ __forceinline__ void count_sample(const Part<cubic>& part, Cursors* cursors) {
  if (threadIdx.x == 0) atomicAdd(&cursors->sampled, part.end - part.first);
  for_boxes(
      part, [](int, const BoxWords&) {}, [&](const Share&, const BoxWords&) { atomicAdd(&cursors->sampled, 1U); });
}

/// Nothing counted yet.
__device__ __forceinline__ void clear(std::uint32_t* counted) {
  for (int i = threadIdx.x; i < near_tiles; i += threads) counted[i] = 0;
}

template <bool cubic, bool sample>
__global__ void __launch_bounds__(threads, cuda::blocks_of_processor(6, threads))
    select_kernel(const Selection task, const Grid grid) {
  __shared__ Space space;
  const auto* const lanes = reinterpret_cast<const std::uint16_t*>(space.block);
  const int thread = threadIdx.x;
  const std::uint32_t index = blockIdx.x * static_cast<std::uint32_t>(task.every);
  const std::uint32_t line = grid.across.quotient(index);
  const std::uint32_t layer = grid.down.quotient(line);
  const Block<cubic> block{task, static_cast<int>(index - line * grid.across.by) * 64,
                           static_cast<int>(line - layer * grid.down.by) * edge, static_cast<int>(layer) * edge};
  if (thread == 0) space.marked_count = space.kept_count = 0;
  load(task, block.x, block.y, block.z, space.block);
  __syncthreads();
  mark<cubic>(task, space.block, space.marked(), &space.marked_count);
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
      Span span{};
      std::uint16_t tiles = 0;
      if (keep) {
        const int place = space.marked()[first + thread];
        int square = 0;
        int at = 0;
        Reach reach;
        keep = block.reach_of(lanes, place, square, at, reach) && !block.lies_in_diagonal(lanes, square, at);
        if (keep) ball = pairs.ball_of(place, square, reach, span, tiles);
        if (sample && keep && square <= dense_most) atomicAdd(&task.lists.cursors->small, 1U);
      }
      const int to = place_in_list(keep, &space.kept_count);
      if (keep) {
        space.balls[to] = ball;
        space.spans[to] = span;
        space.tiles[to] = tiles;
      }
      __syncthreads();
      kept = space.kept_count;
      if (kept < threads && first + threads < marked) {
        __syncthreads();  // everybody has read how many are kept
        continue;
      }
    }
    clear(space.counted);
    const std::uint32_t now = min(kept, static_cast<std::uint32_t>(threads));
    Part<cubic> part{pairs, writer, 0, pairs.count_through(now)};
    if constexpr (sample) {
      count_sample(part, task.lists.cursors);
      __syncthreads();
    } else {
      const Stage stage = space.stage_behind(marked, first + threads >= marked);
      for (const std::uint32_t end = part.end; part.first < end; part.first = part.end) {
        part.end = min(part.first + stage.room, end);
        write_boxes(part, stage, space);
        if (part.end == end) break;
        clear(space.counted);
        __syncthreads();
      }
    }
    kept -= now;  // the rest moves to the front
    if (static_cast<unsigned>(thread) < kept) {
      space.balls[thread] = space.balls[threads + thread];
      space.spans[thread] = space.spans[threads + thread];
      space.tiles[thread] = space.tiles[threads + thread];
    }
    if (thread == 0) space.kept_count = kept;
    __syncthreads();
  }
}

}  // namespace

void select(const cuda::Stream& stream, const Selection& selection) {
  const SquareRows<std::uint16_t>& squares = selection.squares;
  const Grid grid{Divisor(static_cast<std::uint32_t>(squares.pitch / 64)),
                  Divisor(static_cast<std::uint32_t>((squares.y + edge - 1) / edge)), Tiles(squares)};
  const std::int64_t all = std::int64_t{grid.across.by} * grid.down.by * ((squares.z + edge - 1) / edge);
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
