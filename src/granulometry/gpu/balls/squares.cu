#include "granulometry/gpu/balls/squares.hpp"

#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

using cuda::whole_warp;

constexpr int threads = 256;
constexpr int together = 8;  // samples of a thread at once: rows are whole numbers of 64

/// Eight samples, two in a word.
__device__ __forceinline__ std::uint16_t sample_of(const uint4& words, int i) {
  const std::uint32_t word = i < 2 ? words.x : i < 4 ? words.y : i < 6 ? words.z : words.w;
  return static_cast<std::uint16_t>(i % 2 == 0 ? word : word >> 16);
}

/// Rows one after the other, what is behind their end included.
struct Eights {
  std::uint16_t* data;
  std::int64_t count;

  explicit Eights(const SquareRows<std::uint16_t>& squares)
      : data(squares.data), count(squares.z * squares.slice() / together) {}
};

cuda::LaunchShape threads_for(const Eights& squares) {
  constexpr std::int64_t most_blocks = 1 << 14;
  const std::int64_t blocks = std::clamp<std::int64_t>((squares.count + threads - 1) / threads, 1, most_blocks);
  return {dim3(static_cast<unsigned>(blocks)), dim3(threads)};
}

/// Calls work(i) for every eight samples.
template <class Work>
__device__ __forceinline__ void for_eights(const Eights& squares, Work work) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < squares.count; i += all) work(i);
}

__global__ void __launch_bounds__(threads) change_kernel(const Eights squares,
                                                         const std::uint16_t* table) {
  auto* const words = reinterpret_cast<uint4*>(squares.data);
  for_eights(squares, [&](std::int64_t i) {
    const uint4 from = words[i];
    if ((from.x | from.y | from.z | from.w) == 0) return;
    std::uint32_t to[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const std::uint16_t low = sample_of(from, 2 * k);
      const std::uint16_t high = sample_of(from, 2 * k + 1);
      to[k] = (low ? table[low] : 0U) | (high ? std::uint32_t{table[high]} << 16 : 0U);
    }
    words[i] = make_uint4(to[0], to[1], to[2], to[3]);
  });
}

constexpr int near_squares = 4096;  // that are counted in shared memory; larger ones are few

/// Squares lie in runs: only the first lane of a run counts it.
__device__ __forceinline__ void count_run(unsigned value, std::uint32_t* near, unsigned long long* counts) {
  const int lane = threadIdx.x % 32;
  const unsigned before = __shfl_up_sync(whole_warp, value, 1);
  const unsigned starts = __ballot_sync(whole_warp, lane == 0 || value != before);
  if (!(starts >> lane & 1) || value == 0) return;
  const unsigned later = lane == 31 ? 0U : starts >> (lane + 1);
  const unsigned length = later ? static_cast<unsigned>(__ffs(later)) : 32U - static_cast<unsigned>(lane);
  if (value < near_squares) {
    atomicAdd(&near[value], length);
  } else {
    atomicAdd(&counts[value], std::uint64_t{length});
  }
}

__global__ void __launch_bounds__(1024) count_kernel(const Eights squares,
                                                     unsigned long long* counts) {
  __shared__ std::uint32_t near[near_squares];
  for (int i = threadIdx.x; i < near_squares; i += blockDim.x) near[i] = 0;
  __syncthreads();
  const auto* const words = reinterpret_cast<const uint4*>(squares.data);
  const std::int64_t all = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t turns = (squares.count + all - 1) / all;  // the same for all lanes
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const std::int64_t i = turn * all + first;
    const uint4 from = i < squares.count ? words[i] : make_uint4(0, 0, 0, 0);
    if (!__any_sync(whole_warp, (from.x | from.y | from.z | from.w) != 0)) continue;
#pragma unroll
    for (int k = 0; k < together; ++k) count_run(sample_of(from, k), near, counts);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < near_squares; i += blockDim.x) {
    if (near[i] > 0) atomicAdd(&counts[i], std::uint64_t{near[i]});
  }
}

__global__ void __launch_bounds__(threads) show_kernel(const Eights squares,
                                                       const std::uint8_t* object) {
  for_eights(squares, [&](std::int64_t i) {
    const unsigned bits = object[i];  // rows of both begin at multiples of 64
#pragma unroll
    for (int k = 0; k < together; ++k) {
      std::uint16_t& square = squares.data[i * together + k];
      if ((bits >> k & 1) && square == 0) square = static_cast<std::uint16_t>(table_size - 1);
    }
  });
}

}  // namespace

void change(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, const std::uint16_t* table) {
  cuda::launch(stream, threads_for(Eights(squares)), "change squares", change_kernel, Eights(squares), table);
}

void count(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, unsigned long long* counts) {
  constexpr int wide = 1024;
  const Eights items(squares);
  // Two blocks to a processor; counters of 32 bits hold what one sees of 2^40 samples.
  const std::int64_t blocks = std::clamp<std::int64_t>(
      (items.count + wide - 1) / wide, 1, cuda::resident_blocks(stream, count_kernel, wide, 0));
  cuda::launch(stream, {dim3(static_cast<unsigned>(blocks)), dim3(wide)}, "count squares", count_kernel, items, counts);
}

void show_infinite(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, const std::uint64_t* object) {
  cuda::launch(stream, threads_for(Eights(squares)), "infinite squares", show_kernel, Eights(squares),
               reinterpret_cast<const std::uint8_t*>(object));
}

}  // namespace tamis::granulometry_detail::gpu::balls
