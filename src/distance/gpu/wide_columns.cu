// Squares of 32 bits, and what follows the last pass. Distances that need them are rare; a thread a sample does.
#include <algorithm>
#include <limits>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "distance/gpu/steps.hpp"

namespace tamis::distance_detail::gpu {
namespace {

constexpr int threads = 256;

cuda::LaunchShape threads_for(std::int64_t samples) {
  constexpr std::int64_t most_blocks = 1 << 20;
  const std::int64_t blocks = std::clamp<std::int64_t>((samples + threads - 1) / threads, 1, most_blocks);
  return {dim3(static_cast<unsigned>(blocks)), dim3(threads)};
}

struct Expansion {
  const Word* words;
  std::int64_t count;  ///< of them
  std::int64_t row_words;
  std::int64_t row_samples;
  std::int64_t side;
};

__device__ __forceinline__ std::uint32_t wide_square(int steps, std::int64_t side) {
  const std::int64_t length = steps * side;
  return length > wide_steps ? wide_unreached : static_cast<std::uint32_t>(length * length);
}

/// A thread has eight voxels.
__global__ void __launch_bounds__(threads) expand_kernel(const Expansion task, std::uint32_t* to) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < task.count * 4; i += all) {
    int steps[8];
    steps_of(task.words[i / 4], static_cast<int>(i % 4) * 8, steps);
    const std::int64_t x = i / 4 % task.row_words * 32 + i % 4 * 8;
    for (int k = 0; k < 8; ++k) to[8 * i + k] = x + k < task.row_samples ? wide_square(steps[k], task.side) : 0;
  }
}

struct WideColumns {
  const std::uint32_t* from;
  std::uint32_t* to;
  std::int64_t samples;
  std::int64_t stride;  ///< from a sample of a column to the next
  std::int64_t count;   ///< samples of a column
  std::int64_t side;
  bool low, high;
};

__global__ void __launch_bounds__(threads) wide_kernel(const WideColumns task) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < task.samples; i += all) {
    const std::int64_t at = i / task.stride % task.count;
    std::uint32_t least = task.from[i];
    for (std::int64_t d = 1;; ++d) {
      const std::int64_t square = d * task.side * (d * task.side);
      const bool below = at - d >= 0;
      const bool above = at + d < task.count;
      if (square >= least || (at - d < -1 && at + d > task.count)) break;
      if (below) least = min(least, static_cast<std::uint32_t>(square) + task.from[i - d * task.stride]);
      if (above) least = min(least, static_cast<std::uint32_t>(square) + task.from[i + d * task.stride]);
      if ((at - d == -1 && task.low) || (at + d == task.count && task.high)) {
        least = min(least, static_cast<std::uint32_t>(square));
      }
    }
    task.to[i] = least;
  }
}

template <class Lane>
constexpr Lane unreached_of = sizeof(Lane) == 2 ? Lane{narrow_unreached} : static_cast<Lane>(wide_unreached);

struct Clearing {
  const std::uint64_t* object;
  std::int64_t samples;
  std::int64_t pitch;
};

template <class Lane>
__global__ void __launch_bounds__(threads) clear_kernel(const Clearing task, Lane* squares, Found* found) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  unsigned largest = 0;
  bool unreached = false;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < task.samples; i += all) {
    const bool object = task.object[i / 64] >> (i % 64) & 1;  // rows of both begin at multiples of 64
    const Lane square = squares[i];
    if (!object && square != 0) squares[i] = 0;
    if (!object) continue;
    if (square == unreached_of<Lane>) {
      unreached = true;
    } else {
      largest = max(largest, static_cast<unsigned>(square));
    }
  }
  if (unreached) atomicOr(&found->unreached, 1U);
  if (largest > 0) atomicMax(&found->largest, largest);
}

template <class Lane>
__global__ void __launch_bounds__(threads) finish_kernel(const std::uint32_t* from, std::int64_t samples, Lane* to) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < samples; i += all) {
    to[i] = from[i] == wide_unreached ? static_cast<Lane>(~Lane{0}) : static_cast<Lane>(from[i]);
  }
}

}  // namespace

void expand_wide(const cuda::Stream& stream, const Plan& plan, const Word* words, const SquareRows<std::uint32_t>& to) {
  const Expansion task{words, to.z * to.slice() / 32, to.pitch / 32, to.x, plan.x.side};
  cuda::launch(stream, threads_for(task.count * 4), "distances along x", expand_kernel, task, to.data);
}

void lower_wide(const cuda::Stream& stream, const Plan& plan, Along along, const SquareRows<std::uint32_t>& from,
                std::uint32_t* to) {
  const Axis& axis = along == Along::Y ? plan.y : plan.z;
  WideColumns task{from.data, to, from.z * from.slice(), 0, axis.count, axis.side, axis.low, axis.high};
  task.stride = along == Along::Y ? from.pitch : from.slice();
  const char* const what = along == Along::Y ? "distances along y" : "distances along z";
  cuda::launch(stream, threads_for(task.samples), what, wide_kernel, task);
}

template <class Lane>
void clear_outside(const cuda::Stream& stream, const BitRows& object, const SquareRows<Lane>& rows, Found* found) {
  const Clearing task{object.words, rows.z * rows.slice(), rows.pitch};
  cuda::launch(stream, threads_for(task.samples), "clear what is outside", clear_kernel<Lane>, task, rows.data, found);
}

template <class Lane>
void finish(const cuda::Stream& stream, const SquareRows<std::uint32_t>& from, Lane* to) {
  const std::int64_t samples = from.z * from.slice();
  cuda::launch(stream, threads_for(samples), "finish distances", finish_kernel<Lane>, from.data, samples, to);
}

template void clear_outside(const cuda::Stream&, const BitRows&, const SquareRows<std::uint16_t>&, Found*);
template void clear_outside(const cuda::Stream&, const BitRows&, const SquareRows<std::uint32_t>&, Found*);
template void finish(const cuda::Stream&, const SquareRows<std::uint32_t>&, std::uint16_t*);
template void finish(const cuda::Stream&, const SquareRows<std::uint32_t>&, std::uint32_t*);

}  // namespace tamis::distance_detail::gpu
