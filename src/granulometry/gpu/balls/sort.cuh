// For paint.cu: the boxes of a tile in order, largest first, by the threads of a block; and what covers each voxel.
#pragma once

#include <cstdint>

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
constexpr int stage_rows = sizeof(Lane) == 2   ? 5
                           : sizeof(Lane) == 4 ? 6
                                               : 8;  // of 16 bytes for each row of a patch: what paint.cu puts there
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
  alignas(8) std::uint32_t sums[2 * paint_warps];
  std::uint32_t spilled;
};

/// Calls work with the place, the box and the square of all boxes whose square is from `low` on and below `high`. The
/// first segments have been fetched. Where nobody looks at the boxes themselves, their squares are a sixteenth of the
/// bytes.
template <class Number, class Lane, bool filtered, class Work>
__device__ __forceinline__ void for_boxes(const ListsOf<Lane>& lists, std::int64_t tile, std::uint32_t segments,
                                          Number low, Number high, SortSpace<filtered>& space, Work work) {
  constexpr bool one = sizeof(Lane) > 2;  // segment of each tile, which all warps share
  const int lane = one ? threadIdx.x : threadIdx.x % 32;
  const int warp = one ? 0 : threadIdx.x / 32;
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
      for (std::uint32_t j = lane; j < segment.count; j += one ? paint_threads : 32) {
        const Box& box = lists.boxes[segment.first + j];
        const auto square = static_cast<Number>(filtered ? square_of<Lane>(box) : lists.squares[segment.first + j]);
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
template <class Number>
__device__ __forceinline__ Number largest_of(Number value, std::uint32_t* space) {
  auto* const places = reinterpret_cast<Number*>(space);
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    value = max(value, __shfl_xor_sync(cuda::whole_warp, value, distance));
  }
  if (threadIdx.x % 32 == 0) places[threadIdx.x / 32] = value;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < paint_warps; ++w) value = max(value, places[w]);
  __syncthreads();
  return value;
}

/// Sorts the boxes of a tile by counting how many there are of each square. All threads of a block call it.
template <class Lane, Form form, bool filtered>
class Sorter {
 public:
  __device__ __forceinline__ Sorter(const ListsOf<Lane>& lists, std::int64_t tile, const Sides& sides,
                                    SortSpace<filtered>& space)
      : lists_(lists), tile_(tile), sides_(sides), space_(space) {}

  /// `largest`: no square is above it. Bins that come before a crowded one are done with; its own squares, as finely as
  /// bins tell them apart, and then all that is below are the next two rounds.
  __device__ __forceinline__ Order run(std::uint64_t largest) {
    Order order = begin();
    if (order.count == 0) return order;
    if constexpr (filtered) {  // all of its squares have bins
      const Range range(0, static_cast<Number>(largest) + 1);
      count(range);
      place(range, 0);
      return order;
    }
    Range range(0, (largest < static_cast<unsigned>(bins<Lane>) ? static_cast<Number>(largest) : largest_square()) + 1);
    std::uint32_t done = 0;
    while (true) {
      const int used = range.used();
      const int crowded = count(range);
      if (crowded < used) range.low = range.high - (Number{crowded} << range.shift);
      if (crowded > 0) {
        const std::uint32_t first = done;
        done += place(range, first);
        if (range.shift > 0) sort_bins(range, first);
      }
      if (done == order.count || (crowded == used && range.low == 0)) return order;
      range = Range(crowded < used ? max(range.low - (Number{1} << range.shift), Number{0}) : Number{0}, range.low);
    }
  }

 private:
  using Number = balls::Number<form>;

  /// Squares from `low` on and below `high`, 2^`shift` of them to a bin, the largest first.
  struct Range {
    Number low, high;
    int shift = 0;

    __device__ __forceinline__ Range(Number first, Number end) : low(first), high(end) {
      while (!filtered && (high - low - 1) >> shift >= bins<Lane>) ++shift;
    }
    [[nodiscard]] __device__ __forceinline__ int bin_of(Number square) const {
      return static_cast<int>((high - 1 - square) >> shift);
    }
    [[nodiscard]] __device__ __forceinline__ int used() const {
      return low == high ? 0 : static_cast<int>((high - low - 1) >> shift) + 1;
    }
  };
  /// Bins of several squares are sorted by a thread each, which takes the square of their boxes in steps.
  static constexpr std::uint32_t most_of_bin = 64;

  __device__ __forceinline__ Order begin() {
    segments_ = lists_.counts[tile_];
    std::uint32_t boxes = 0;
    for (std::uint32_t i = threadIdx.x; i < segments_; i += paint_threads) {
      const Segment segment = lists_.segments[tile_ * lists_.segment_room + i];
      if (i < at_once) space_.segments[i] = segment;
      boxes += segment.count;
    }
    Order order{space_.near, space_.patches, 0};
    sum_before(boxes, space_.sums, order.count);
    places_ = space_.near;
    patches_ = space_.patches;
    if (order.count <= near_order) return order;
    if (threadIdx.x == 0) space_.spilled = atomicAdd(&lists_.cursors->spilled, order.count);
    __syncthreads();
    order.places = places_ = lists_.order + space_.spilled;
    order.patches = patches_ = lists_.patches + space_.spilled;
    return order;
  }

  __device__ __forceinline__ Number largest_square() {
    constexpr Number most = Number{1} << (8 * sizeof(Number) - 2);
    Number largest = 0;
    for_boxes(lists_, tile_, segments_, Number{0}, most, space_,
              [&](std::uint32_t, const Box&, Number square) { largest = max(largest, square); });
    return largest_of(largest, space_.sums);
  }

  /// The bins of a thread.
  struct Share {
    int begin, end;
    __device__ __forceinline__ explicit Share(int used) {
      const int share = ((used + paint_threads - 1) / paint_threads) | 1;  // odd: no bank serves two threads
      begin = static_cast<int>(threadIdx.x) * share;
      end = min(begin + share, used);
    }
  };

  /// Fills the bins. Returns which is the first that is crowded, where that matters, or how many there are.
  __device__ __forceinline__ int count(const Range& range) {
    for (int i = threadIdx.x; i < range.used(); i += paint_threads) space_.histogram[i] = 0;
    __syncthreads();
    for_boxes(lists_, tile_, segments_, range.low, range.high, space_, [&](std::uint32_t, const Box&, Number square) {
      atomicAdd(&space_.histogram[range.bin_of(square)], 1U);
    });
    __syncthreads();
    if (filtered || range.shift == 0) return range.used();
    const Share share(range.used());
    int first = share.begin;
    while (first < share.end && space_.histogram[first] <= most_of_bin) ++first;
    return -largest_of(first < share.end ? -first : -range.used(), space_.sums);
  }

  /// Places the boxes behind those that are `done`, and returns how many they are. Bins end up where they end.
  __device__ __forceinline__ std::uint32_t place(const Range& range, std::uint32_t done) {
    const Share share(range.used());
    std::uint32_t own = 0;
    for (int i = share.begin; i < share.end; ++i) own += space_.histogram[i];
    std::uint32_t all = 0;
    std::uint32_t at = done + sum_before(own, space_.sums, all);
    for (int i = share.begin; i < share.end; ++i) {
      const std::uint32_t count = space_.histogram[i];
      space_.histogram[i] = at;
      at += count;
    }
    __syncthreads();
    if (all > 0) {
      for_boxes(lists_, tile_, segments_, range.low, range.high, space_,
                [&](std::uint32_t place, const Box& box, Number square) {
                  const std::uint32_t to = atomicAdd(&space_.histogram[range.bin_of(square)], 1U);
                  places_[to] = place;
                  if constexpr (filtered) patches_[to] = patches_of<Lane, form == Form::Cubic>(box, sides_);
                });
    }
    __syncthreads();
    return all;
  }

  /// Sorts the boxes of each bin, of which there are few. Filtered ones never have bins of several squares.
  __device__ __forceinline__ void sort_bins(const Range& range, std::uint32_t first) {
    for (int bin = threadIdx.x; bin < range.used(); bin += paint_threads) {
      const std::uint32_t begin = bin == 0 ? first : space_.histogram[bin - 1];
      const std::uint32_t end = space_.histogram[bin];
      for (std::uint32_t i = begin + 1; i < end; ++i) {
        const std::uint32_t place = places_[i];
        const Lane square = lists_.squares[place];
        std::uint32_t to = i;
        for (; to > begin && lists_.squares[places_[to - 1]] < square; --to) places_[to] = places_[to - 1];
        places_[to] = place;
      }
    }
    __syncthreads();
  }

  const ListsOf<Lane>& lists_;
  std::int64_t tile_;
  const Sides& sides_;
  SortSpace<filtered>& space_;
  std::uint32_t segments_ = 0;
  std::uint32_t* places_ = nullptr;
  std::uint8_t* patches_ = nullptr;
};

namespace {

// What covers each voxel of 32 rows of 32, by number. For paint.cu.

/// Numbers from 1 on in the order in which boxes cover something, 0: nothing. They are kept as planes of bits in Gray
/// code, where the next number differs in one bit: all that is still uncovered changes this bit, and what a box covers
/// is not asked again. So a box costs one plane and not one for each bit of its square. Of a warp; the planes' words
/// are the lanes' own. `Lane`: the type of squares.
template <class Lane>
class Ranks {
 public:
  static constexpr int planes = 8;
  static constexpr int most = 223;
  /// In 16 bytes.
  static constexpr int room = (planes * 32 * 4 + (most + 1) * static_cast<int>(sizeof(Lane))) / 16;
  /// Pieces of 16 bytes that a row's squares have.
  static constexpr int pieces = 2 * static_cast<int>(sizeof(Lane));

  __device__ __forceinline__ explicit Ranks(uint4* space)
      : bits_(reinterpret_cast<std::uint32_t*>(space) + lane()),
        squares_(reinterpret_cast<Lane*>(space + planes * 8)) {}

  __device__ __forceinline__ void clear() {
    count_ = 0;
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) bits_[plane * 32] = 0;
    if (lane() == 0) squares_[0] = 0;
  }

  [[nodiscard]] __device__ __forceinline__ int count() const { return count_; }

  /// A number for what covers some of a row's voxels that are uncovered.
  __device__ __forceinline__ void add(std::uint32_t uncovered, Lane square) {
    ++count_;
    if (lane() == 0) squares_[count_] = square;
    bits_[(__ffs(count_) - 1) * 32] ^= uncovered;
  }

  /// Ends the count: planes become a byte for each voxel. `covered`: the voxels of a row that have a number.
  __device__ __forceinline__ void settle(std::uint32_t covered) const {
    std::uint32_t numbers[planes];
    std::uint32_t above = 0;
#pragma unroll
    for (int plane = planes - 1; plane >= 0; --plane) {
      above ^= bits_[plane * 32];
      numbers[plane] = above & covered;
    }
    transpose(numbers);
#pragma unroll
    for (int i = 0; i < planes; ++i) bits_[i * 32] = numbers[i];
    __syncwarp();
  }

  /// The squares of a piece of a row, once they are settled.
  [[nodiscard]] __device__ __forceinline__ uint4 squares(int row, int piece) const {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(bits_) + 4 * (row - lane());
    if constexpr (sizeof(Lane) == 2) {
      const auto two = [&](int i) {
        return squares_[bytes[i * 128 + piece]] | std::uint32_t{squares_[bytes[(i + 1) * 128 + piece]]} << 16;
      };
      return make_uint4(two(0), two(2), two(4), two(6));
    } else if constexpr (sizeof(Lane) == 4) {
      const std::uint8_t* const four = bytes + piece % 2 * 4 * 128 + piece / 2;
      return make_uint4(squares_[four[0]], squares_[four[128]], squares_[four[256]], squares_[four[384]]);
    } else {
      const std::uint8_t* const two = bytes + piece % 4 * 2 * 128 + piece / 4;
      const Lane low = squares_[two[0]];
      const Lane high = squares_[two[128]];
      return make_uint4(static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high),
                        static_cast<unsigned>(high >> 32));
    }
  }

 private:
  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x % 32); }

  /// Planes to bytes: afterwards register i has voxels i, 8 + i, 16 + i and 24 + i.
  __device__ __forceinline__ static void transpose(std::uint32_t (&numbers)[planes]) {
#pragma unroll
    for (int k = planes / 2; k > 0; k /= 2) {
      const std::uint32_t mask = k == 4 ? 0x0f0f0f0fU : k == 2 ? 0x33333333U : 0x55555555U;
#pragma unroll
      for (int i = 0; i < planes; ++i) {
        if (i & k) continue;
        const std::uint32_t moved = ((numbers[i] >> k) ^ numbers[i + k]) & mask;
        numbers[i + k] ^= moved;
        numbers[i] ^= moved << k;
      }
    }
  }

  std::uint32_t* bits_;  ///< of the lane
  Lane* squares_;
  int count_ = 0;
};

}  // namespace
}  // namespace tamis::granulometry_detail::gpu::balls
