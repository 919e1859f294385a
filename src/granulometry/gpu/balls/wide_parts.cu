// What is left of balls as one list, and painting it: squares only grow, so that warps need not wait for each other.
#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/balls/wide.hpp"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

using cuda::whole_warp;

/// What one warp paints of a ball: rows that lie together, in voxels of the volume.
struct Part {
  std::int32_t x, y, z;  ///< the ball's middle
  std::uint32_t square;
  std::int32_t first_x, last_x;
  std::int32_t first_y, rows;
  std::int32_t first_z, slices;
};

/// A list with room for so many; `count` grows beyond it.
struct Parts {
  Part* parts = nullptr;
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

/// The largest whole number whose square is not above a number below 2^32: the nearest double to the root of one that
/// is no square lies below the next whole number.
__device__ __forceinline__ int root_of(std::uint32_t square) { return static_cast<int>(__dsqrt_rn(square)); }

/// From a ball's middle, along one axis.
struct Reach {
  int low = 0;
  int high = 0;

  /// Steps from the middle to the nearest of [first, last].
  __device__ static int nearest(int first, int last) { return max(max(first, -last), 0); }
};

struct Selecting {
  WideRows squares;
  std::int64_t slice;  ///< samples
  Sides sides;

  /// What the neighbours along one axis leave of a ball.
  __device__ Reach reach_along(std::int64_t i, std::uint32_t square, int radius, std::int64_t step, int side,
                               std::int64_t at, std::int64_t count) const {
    const auto steps_of = [&](std::uint32_t neighbour) {
      const std::int64_t h2 = std::int64_t{side} * side;
      return static_cast<int>((std::int64_t{neighbour} - square + h2) / (2 * h2));
    };
    const std::int64_t steps = radius / side;
    Reach reach{static_cast<int>(-min(steps, at)), static_cast<int>(min(steps, count - 1 - at))};
    const std::uint32_t below = at > 0 ? squares.data[i - step] : 0;
    const std::uint32_t above = at + 1 < count ? squares.data[i + step] : 0;
    if (below >= square) reach.low = max(reach.low, steps_of(below));
    if (above >= square) reach.high = min(reach.high, -steps_of(above));
    return reach;
  }

  /// Calls take(part) for what is left of the ball at a place.
  template <class Take>
  __device__ void for_parts(std::int64_t i, Take take) const {
    const std::uint32_t square = squares.data[i];
    if (square < 2) return;  // its own voxel
    const std::int64_t row = i / squares.pitch;
    const std::int64_t at_x = i - row * squares.pitch;
    const std::int64_t at_z = row / squares.y;
    const std::int64_t at_y = row - at_z * squares.y;
    const int radius = root_of(square - 1);
    Reach z;
    if (!sides.flat) z = reach_along(i, square, radius, slice, sides.z, at_z, squares.z);
    const Reach y = reach_along(i, square, radius, squares.pitch, sides.y, at_y, squares.y);
    const Reach x = reach_along(i, square, radius, 1, sides.x, at_x, squares.x);
    if (z.low > z.high || y.low > y.high || x.low > x.high) return;
    const bool middle_only = (z.low | z.high | y.low | y.high | x.low | x.high) == 0;
    if (middle_only) return;
    const std::uint64_t away_x = squared(Reach::nearest(x.low, x.high), sides.x);
    Part part{static_cast<int>(at_x),
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
__global__ void __launch_bounds__(threads) select_kernel(const Selecting task, const Parts list) {
  const std::int64_t samples = task.squares.z * task.slice;
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  const int lane = threadIdx.x % 32;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < samples; i += all) {
    unsigned own = 0;
    task.for_parts(i, [&](const Part&) { ++own; });
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
    task.for_parts(i, [&](const Part& part) {
      if (at < list.room) list.parts[at] = part;
      ++at;
    });
  }
}

__device__ __forceinline__ void raise(std::uint32_t* to, std::uint32_t square) {
  const std::uint32_t there = __ldcg(to);
  if (there != 0 && there < square) atomicMax(to, square);
}

/// Lanes share out the voxels of a row, and rows where these are shorter than a warp.
__global__ void __launch_bounds__(threads)
    paint_kernel(const WideRows squares, const Sides sides, const Part* parts, std::int64_t count) {
  const int lane = threadIdx.x % 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * (threads / 32);
  for (std::int64_t i = std::int64_t{blockIdx.x} * (threads / 32) + threadIdx.x / 32; i < count; i += warps) {
    const Part part = parts[i];
    const unsigned width = static_cast<unsigned>(part.last_x - part.first_x) + 1;
    const int across = width >= 32 ? 32 : width == 1 ? 1 : 1 << (32 - __clz(static_cast<int>(width - 1)));
    const int together = 32 / across;
    for (int r = lane / across; r < part.rows * part.slices; r += together) {
      const int y = part.first_y + r % part.rows;
      const int z = part.first_z + r / part.rows;
      const std::uint64_t away = Selecting::squared(y - part.y, sides.y) + Selecting::squared(z - part.z, sides.z);
      if (away >= part.square) continue;
      const int half = root_of(part.square - 1 - static_cast<std::uint32_t>(away)) / sides.x;
      const int last = min(part.last_x, part.x + half);
      std::uint32_t* const row = squares.data + (z * squares.y + y) * squares.pitch;
      for (int x = max(part.first_x, part.x - half) + lane % across; x <= last; x += across)
        raise(row + x, part.square);
    }
  }
}

void select(const cuda::Stream& stream, const WideRows& squares, const Sides& sides, const Parts& parts) {
  cuda::launch(stream, blocks_for(squares.z * squares.slice()), "select balls", select_kernel,
               Selecting{squares, squares.slice(), sides}, parts);
}

void paint(const cuda::Stream& stream, const WideRows& squares, const Sides& sides, const Part* parts,
           std::int64_t count) {
  cuda::launch(stream, blocks_for(32 * count), "paint balls", paint_kernel, squares, sides, parts, count);
}

}  // namespace

void paint_parts(const cuda::Stream& stream, const WideRows& squares, const Sides& sides) {
  const cuda::DeviceBuffer<unsigned long long> count(stream, 1);
  const cuda::PinnedBuffer<unsigned long long> host(stream, 1);
  count.clear();
  select(stream, squares, sides, {nullptr, 0, count.data()});  // how many there are
  cuda::check(cudaMemcpyAsync(host.data(), count.data(), count.bytes(), cudaMemcpyDeviceToHost, stream.get()),
              "read the length of a list");
  stream.synchronize();
  const auto parts = static_cast<std::int64_t>(host[0]);
  if (parts == 0) return;
  const cuda::DeviceBuffer<Part> list(stream, parts);
  count.clear();
  select(stream, squares, sides, {list.data(), host[0], count.data()});
  paint(stream, squares, sides, list.data(), parts);
  stream.synchronize();  // the list goes
}

}  // namespace tamis::granulometry_detail::gpu::balls
