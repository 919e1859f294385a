// What kernels on quads share: logic on 128 bits, the end of a row, and the count of a block.
#pragma once

#include <cstdint>

#include "core/gpu/warp.cuh"
#include "papers/boulos/gpu/pass.hpp"

namespace tamis::boulos::gpu::quad_kernel {

constexpr int warps = block_threads / 32;

__device__ __forceinline__ uint4 all_of(unsigned word) { return {word, word, word, word}; }
__device__ __forceinline__ uint4 operator&(uint4 a, uint4 b) { return {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w}; }
__device__ __forceinline__ uint4 operator|(uint4 a, uint4 b) { return {a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w}; }
__device__ __forceinline__ uint4 operator~(uint4 a) { return {~a.x, ~a.y, ~a.z, ~a.w}; }
__device__ __forceinline__ int count(uint4 a) { return __popc(a.x) + __popc(a.y) + __popc(a.z) + __popc(a.w); }

/// Ones where the row has bits: all but for the last quad.
__device__ __forceinline__ uint4 tail_of(int x, int quad) {
  const auto word = [&](int i) {
    const int bits = x - quad * 128 - 32 * i;
    return bits >= 32 ? ~0U : bits <= 0 ? 0U : (1U << bits) - 1;
  };
  return {word(0), word(1), word(2), word(3)};
}

/// Adds up a number of each thread of the block.
__device__ inline void add_up(int ones, unsigned long long* total) {
  for (int distance = 16; distance > 0; distance /= 2) ones += __shfl_down_sync(cuda::whole_warp, ones, distance);
  __shared__ int of_warp[warps];
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = ones;
  __syncthreads();
  if (threadIdx.x > 0) return;
  unsigned long long sum = 0;
  for (const int part : of_warp) sum += static_cast<unsigned>(part);
  if (sum > 0) atomicAdd(total, sum);
}

}  // namespace tamis::boulos::gpu::quad_kernel
