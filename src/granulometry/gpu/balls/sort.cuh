// The boxes of a tile in order, largest first, by the threads of a block.
#pragma once

#include "core/gpu/warp.cuh"
#include "granulometry/gpu/balls/boxes.hpp"

namespace tamis::granulometry_detail::gpu::balls {

constexpr int paint_warps = 4;  // of a block
constexpr int paint_threads = paint_warps * 32;
constexpr int patch_y = 8;  // rows of a warp
constexpr int patch_z = 32 / patch_y;
constexpr int patches = (tile_y / patch_y) * (tile_z / patch_z);
constexpr int near_order = 2048;  // boxes whose order is kept in shared memory
constexpr int at_once = 256;      // segments looked at together
template <class Lane>
constexpr int stage_rows = sizeof(Lane) == 2 ? 5 : 6;  // of 16 bytes for each row of a patch: what paint.cu puts there
template <class Lane>
constexpr int bins =
    paint_warps * 32 * stage_rows<Lane> * 4;  // squares that are told apart at a time, as many as stages have room for

/// Sums of all threads before this one, and of all.
__device__ __forceinline__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t* sums, std::uint32_t& all) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  std::uint32_t until = value;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t lower = __shfl_up_sync(cuda::whole_warp, until, distance);
    if (lane >= distance) until += lower;
  }
  if (lane == 31) sums[warp] = until;
  __syncthreads();
  std::uint32_t lower = 0;
  all = 0;
#pragma unroll
  for (int w = 0; w < paint_warps; ++w) {
    if (w < warp) lower += sums[w];
    all += sums[w];
  }
  __syncthreads();
  return lower + until - value;
}

/// The order of a tile's boxes, largest first: in shared memory, or where that does not suffice in the lists'.
struct Order {
  const std::uint32_t* places;
  const std::uint8_t* patches;  ///< that each of them touches, a bit for each
  std::uint32_t count;
};

template <bool filtered>
struct SortSpace {
  std::uint32_t* histogram;  ///< bins, where the stages are afterwards
  std::uint32_t near[near_order];
  std::uint8_t patches[filtered ? near_order : 1];
  Segment segments[at_once];
  std::uint32_t sums[paint_warps];
  std::uint32_t spilled;
};

/// Calls work with the place, the box and the square of all boxes whose square is from `low` on and below `high`. The
/// first segments have been fetched. Where nobody looks at the boxes themselves, their squares are a sixteenth of the
/// bytes.
template <class Lane, bool filtered, class Work>
__device__ __forceinline__ void for_boxes(const ListsOf<Lane>& lists, std::int64_t tile, std::uint32_t segments, int low,
                                          int high, SortSpace<filtered>& space, Work work) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (std::uint32_t first = 0; first < segments; first += at_once) {
    const std::uint32_t some = min(segments - first, static_cast<std::uint32_t>(at_once));
    if (segments > at_once) {
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < some; i += paint_threads) {
        space.segments[i] = lists.segments[tile * lists.segment_room + first + i];
      }
      __syncthreads();
    }
    for (std::uint32_t i = warp; i < some; i += paint_warps) {
      const Segment segment = space.segments[i];
      for (std::uint32_t j = lane; j < segment.count; j += 32) {
        const Box& box = lists.boxes[segment.first + j];
        const auto square =
            static_cast<int>(filtered ? square_of<Lane>(box) : lists.squares[segment.first + j]);
        if (square >= low && square < high) work(segment.first + j, box, square);
      }
    }
  }
}

/// How many steps a box is away from its middle in a part of an axis; many where it is not there.
__device__ __forceinline__ int away_in(int first, int last, int middle, int from, int to) {
  const int low = max(first, from);
  const int high = min(last, to);
  return low > high ? 1 << 10 : max(max(low - middle, middle - high), 0);
}

/// Bits of the patches of a tile that a box touches.
template <class Lane, bool cubic>
__device__ __forceinline__ std::uint8_t patches_of(const Box& box, const Sides& sides) {
  const int dx = max(max(box.first_x - box.x, box.x - box.last_x), 0) * (cubic ? 1 : sides.x);
  const int left = static_cast<int>(square_of<Lane>(box)) - dx * dx;
  unsigned touched = 0;
#pragma unroll
  for (int z = 0; z < tile_z / patch_z; ++z) {
    int dz = away_in(box.first_z, box.last_z, box.z, z * patch_z, z * patch_z + patch_z - 1);
    if (!cubic) dz *= sides.z;
#pragma unroll
    for (int y = 0; y < tile_y / patch_y; ++y) {
      int dy = away_in(box.first_y, box.last_y, box.y, y * patch_y, y * patch_y + patch_y - 1);
      if (!cubic) dy *= sides.y;
      if (dy * dy + dz * dz < left) touched |= 1U << (z * (tile_y / patch_y) + y);
    }
  }
  return static_cast<std::uint8_t>(touched);
}

/// The largest of all threads' numbers.
__device__ __forceinline__ int largest_of(int value, std::uint32_t* places) {
  value = cuda::warp_max(value);
  if (threadIdx.x % 32 == 0) places[threadIdx.x / 32] = static_cast<std::uint32_t>(value);
  __syncthreads();
#pragma unroll
  for (int w = 0; w < paint_warps; ++w) value = max(value, static_cast<int>(places[w]));
  __syncthreads();
  return value;
}

/// By counting, `bins` squares at a time, the largest of them first. Squares of 32 bits have many more values than a
/// tile has boxes: those that none has are left out.
template <class Lane, bool cubic, bool filtered>
__device__ __forceinline__ Order sorted(const ListsOf<Lane>& lists, std::int64_t tile, int largest, const Sides& sides,
                                        SortSpace<filtered>& space) {
  const std::uint32_t segments = lists.counts[tile];
  std::uint32_t boxes = 0;
  for (std::uint32_t i = threadIdx.x; i < segments; i += paint_threads) {
    const Segment segment = lists.segments[tile * lists.segment_room + i];
    if (i < at_once) space.segments[i] = segment;
    boxes += segment.count;
  }
  Order order{space.near, space.patches, 0};
  sum_before(boxes, space.sums, order.count);
  if (order.count == 0) return order;
  std::uint32_t* places = space.near;
  std::uint8_t* patches_of_places = space.patches;
  if (order.count > near_order) {
    if (threadIdx.x == 0) space.spilled = atomicAdd(&lists.cursors->spilled, order.count);
    __syncthreads();
    places = lists.order + space.spilled;
    patches_of_places = lists.patches + space.spilled;
    order.places = places;
    order.patches = patches_of_places;
  }
  std::uint32_t done = 0;
  int next = 0;  // of squares of 32 bits: where those of the next round end
  for (int high = largest + 1; high > 0 && done < order.count; high = sizeof(Lane) == 2 ? high - bins<Lane> : next) {
    const int low = max(high - bins<Lane>, 0);
    const int used = high - low;
    for (int i = threadIdx.x; i < used; i += paint_threads) space.histogram[i] = 0;
    __syncthreads();
    if constexpr (sizeof(Lane) == 2) {
      for_boxes(lists, tile, segments, low, high, space,
                [&](std::uint32_t, const Box&, int square) { atomicAdd(&space.histogram[high - 1 - square], 1U); });
      __syncthreads();
    } else {
      int below = -1;
      for_boxes(lists, tile, segments, 0, high, space, [&](std::uint32_t, const Box&, int square) {
        if (square < low) {
          below = max(below, square);
        } else {
          atomicAdd(&space.histogram[high - 1 - square], 1U);
        }
      });
      next = largest_of(below, space.sums) + 1;
    }
    const int share = ((used + paint_threads - 1) / paint_threads) | 1;  // odd: no bank serves two threads
    const int begin = static_cast<int>(threadIdx.x) * share;
    const int end = min(begin + share, used);
    std::uint32_t own = 0;
    for (int i = begin; i < end; ++i) own += space.histogram[i];
    std::uint32_t all = 0;
    std::uint32_t at = done + sum_before(own, space.sums, all);
    for (int i = begin; i < end; ++i) {
      const std::uint32_t count = space.histogram[i];
      space.histogram[i] = at;
      at += count;
    }
    __syncthreads();
    if (all > 0) {
      for_boxes(lists, tile, segments, low, high, space, [&](std::uint32_t place, const Box& box, int square) {
        const std::uint32_t at = atomicAdd(&space.histogram[high - 1 - square], 1U);
        places[at] = place;
        if (filtered) patches_of_places[at] = patches_of<Lane, cubic>(box, sides);
      });
    }
    done += all;
    __syncthreads();
  }
  return order;
}

}  // namespace tamis::granulometry_detail::gpu::balls
