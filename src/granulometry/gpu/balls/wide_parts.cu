// What is left of balls as one list, and painting it: squares only grow, so that warps need not wait for each other.
#include <algorithm>
#include <type_traits>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/balls/root.cuh"
#include "granulometry/gpu/balls/wide.hpp"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

using cuda::whole_warp;

/// What one warp paints of a ball: rows that lie together, in voxels of the volume.
template <class Lane>
struct Part {
  std::int32_t x, y, z;  ///< the ball's middle
  Lane square;
  std::int32_t first_x, last_x;
  std::int32_t first_y, rows;
  std::int32_t first_z, slices;
};

/// A list with room for so many; `count` grows beyond it.
template <class Lane>
struct Parts {
  Part<Lane>* parts = nullptr;
  std::uint64_t room = 0;
  unsigned long long* count = nullptr;
};

constexpr int threads = 256;
/// Rows and slices of a part at most: a large ball keeps many warps busy.
constexpr int edge = 32;

cuda::LaunchShape blocks_for(std::int64_t items) {
  constexpr std::int64_t most_blocks = 1 << 20;
  const std::int64_t blocks = std::clamp<std::int64_t>((items + threads - 1) / threads, 1, most_blocks);
  return {dim3(static_cast<unsigned>(blocks)), dim3(threads)};
}

/// From a ball's middle, along one axis.
struct Reach {
  int low = 0;
  int high = 0;

  /// Steps from the middle to the nearest of [first, last].
  __device__ static int nearest(int first, int last) { return max(max(first, -last), 0); }
};

template <class Lane>
struct Selecting {
  SquareRows<Lane> squares;
  std::int64_t slice;  ///< samples
  Sides sides;

  /// What the neighbours along one axis leave of a ball.
  __device__ Reach reach_along(std::int64_t i, Lane square, std::int64_t step, int side, std::int64_t at,
                               std::int64_t count) const {
    const auto steps_of = [&](Lane neighbour) {
      const std::uint64_t h2 = std::uint64_t(side) * side;
      constexpr std::uint64_t most = 1 << 30;
      return static_cast<int>(min((neighbour - square + h2) / (2 * h2), most));
    };
    const std::int64_t steps = steps_below(static_cast<std::int64_t>(square), side, 1.0F / static_cast<float>(side));
    Reach reach{static_cast<int>(-min(steps, at)), static_cast<int>(min(steps, count - 1 - at))};
    const Lane below = at > 0 ? squares.data[i - step] : 0;
    const Lane above = at + 1 < count ? squares.data[i + step] : 0;
    if (below >= square) reach.low = max(reach.low, steps_of(below));
    if (above >= square) reach.high = min(reach.high, -steps_of(above));
    return reach;
  }

  /// Calls take(part) for what is left of the ball at a place.
  template <class Take>
  __device__ void for_parts(std::int64_t i, Take take) const {
    const Lane square = squares.data[i];
    if (square < 2) return;  // its own voxel
    const std::int64_t row = i / squares.pitch;
    const std::int64_t at_x = i - row * squares.pitch;
    const std::int64_t at_z = row / squares.y;
    const std::int64_t at_y = row - at_z * squares.y;
    Reach z;
    if (!sides.flat) z = reach_along(i, square, slice, sides.z, at_z, squares.z);
    const Reach y = reach_along(i, square, squares.pitch, sides.y, at_y, squares.y);
    const Reach x = reach_along(i, square, 1, sides.x, at_x, squares.x);
    if (z.low > z.high || y.low > y.high || x.low > x.high) return;
    const bool middle_only = (z.low | z.high | y.low | y.high | x.low | x.high) == 0;
    if (middle_only) return;
    const std::uint64_t away_x = squared(Reach::nearest(x.low, x.high), sides.x);
    Part<Lane> part{static_cast<int>(at_x),
                    static_cast<int>(at_y),
                    static_cast<int>(at_z),
                    square,
                    static_cast<int>(at_x) + x.low,
                    static_cast<int>(at_x) + x.high,
                    0,
                    0,
                    0,
                    0};
    for (int first_z = z.low; first_z <= z.high; first_z += edge) {
      const int last_z = min(first_z + edge - 1, z.high);
      const std::uint64_t away_z = away_x + squared(Reach::nearest(first_z, last_z), sides.z);
      if (away_z >= square) continue;
      for (int first_y = y.low; first_y <= y.high; first_y += edge) {
        const int last_y = min(first_y + edge - 1, y.high);
        if (away_z + squared(Reach::nearest(first_y, last_y), sides.y) >= square) continue;
        part.first_y = part.y + first_y;
        part.rows = last_y - first_y + 1;
        part.first_z = part.z + first_z;
        part.slices = last_z - first_z + 1;
        take(part);
      }
    }
  }

  __device__ static std::uint64_t squared(int steps, int side) {
    const std::int64_t length = std::int64_t{steps} * side;
    return static_cast<std::uint64_t>(length * length);
  }
};

/// Rows are whole numbers of warps, so that all lanes are there.
template <class Lane>
__global__ void __launch_bounds__(threads) select_kernel(const Selecting<Lane> task, const Parts<Lane> list) {
  const std::int64_t samples = task.squares.z * task.slice;
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  const int lane = threadIdx.x % 32;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < samples; i += all) {
    unsigned own = 0;
    task.for_parts(i, [&](const Part<Lane>&) { ++own; });
    if (!__any_sync(whole_warp, own != 0)) continue;
    unsigned until = own;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const unsigned lower = __shfl_up_sync(whole_warp, until, distance);
      if (lane >= distance) until += lower;
    }
    unsigned long long at = 0;
    if (lane == 31) at = atomicAdd(list.count, static_cast<unsigned long long>(until));
    at = __shfl_sync(whole_warp, at, 31) + until - own;
    if (own == 0) continue;
    task.for_parts(i, [&](const Part<Lane>& part) {
      if (at < list.room) list.parts[at] = part;
      ++at;
    });
  }
}

template <class Lane>
__device__ __forceinline__ void raise(Lane* to, Lane square) {
  using Word = std::conditional_t<sizeof(Lane) == 4, unsigned, unsigned long long>;
  auto* const word = reinterpret_cast<Word*>(to);
  const Word there = __ldcg(word);
  if (there != 0 && there < square) atomicMax(word, static_cast<Word>(square));
}

/// Lanes share out the voxels of a row, and rows where these are shorter than a warp.
template <class Lane>
__global__ void __launch_bounds__(threads)
    paint_kernel(const SquareRows<Lane> squares, const Sides sides, const Part<Lane>* parts, std::int64_t count) {
  const float per_side = 1.0F / static_cast<float>(sides.x);
  const int lane = threadIdx.x % 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * (threads / 32);
  for (std::int64_t i = std::int64_t{blockIdx.x} * (threads / 32) + threadIdx.x / 32; i < count; i += warps) {
    const Part<Lane> part = parts[i];
    const unsigned width = static_cast<unsigned>(part.last_x - part.first_x) + 1;
    const int across = width >= 32 ? 32 : width == 1 ? 1 : 1 << (32 - __clz(static_cast<int>(width - 1)));
    const int together = 32 / across;
    for (int r = lane / across; r < part.rows * part.slices; r += together) {
      const int y = part.first_y + r % part.rows;
      const int z = part.first_z + r / part.rows;
      const std::uint64_t away =
          Selecting<Lane>::squared(y - part.y, sides.y) + Selecting<Lane>::squared(z - part.z, sides.z);
      if (away >= part.square) continue;
      const int half = steps_below(static_cast<std::int64_t>(part.square - away), sides.x, per_side);
      const int last = min(part.last_x, part.x + half);
      Lane* const row = squares.data + (z * squares.y + y) * squares.pitch;
      for (int x = max(part.first_x, part.x - half) + lane % across; x <= last; x += across)
        raise(row + x, part.square);
    }
  }
}

template <class Lane>
void select(const cuda::Stream& stream, const SquareRows<Lane>& squares, const Sides& sides, const Parts<Lane>& parts) {
  cuda::launch(stream, blocks_for(squares.z * squares.slice()), "select balls", select_kernel<Lane>,
               Selecting<Lane>{squares, squares.slice(), sides}, parts);
}

}  // namespace

template <class Lane>
void paint_parts(const cuda::Stream& stream, const SquareRows<Lane>& squares, const Sides& sides) {
  const cuda::DeviceBuffer<unsigned long long> count(stream, 1);
  const cuda::PinnedBuffer<unsigned long long> host(stream, 1);
  count.clear();
  select(stream, squares, sides, Parts<Lane>{nullptr, 0, count.data()});  // how many there are
  cuda::check(cudaMemcpyAsync(host.data(), count.data(), count.bytes(), cudaMemcpyDeviceToHost, stream.get()),
              "read the length of a list");
  stream.synchronize();
  const auto parts = static_cast<std::int64_t>(host[0]);
  if (parts == 0) return;
  const cuda::DeviceBuffer<Part<Lane>> list(stream, parts);
  count.clear();
  select(stream, squares, sides, Parts<Lane>{list.data(), host[0], count.data()});
  cuda::launch(stream, blocks_for(32 * parts), "paint balls", paint_kernel<Lane>, squares, sides,
               static_cast<const Part<Lane>*>(list.data()), parts);
  stream.synchronize();  // the list goes
}

template void paint_parts(const cuda::Stream&, const SquareRows<std::uint32_t>&, const Sides&);
template void paint_parts(const cuda::Stream&, const SquareRows<std::uint64_t>&, const Sides&);

}  // namespace tamis::granulometry_detail::gpu::balls
