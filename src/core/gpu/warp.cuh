// All lanes of a warp together. For the reductions GPUs before Ampere (8.0) have no instruction.
#pragma once

namespace tamis::cuda {

constexpr unsigned whole_warp = ~0U;

__device__ __forceinline__ unsigned warp_sum(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(whole_warp, value);
#else
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(whole_warp, value, distance);
  return value;
#endif
}

__device__ __forceinline__ int warp_max(int value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(whole_warp, value);
#else
  for (int distance = 16; distance > 0; distance /= 2) value = max(value, __shfl_xor_sync(whole_warp, value, distance));
  return value;
#endif
}

__device__ __forceinline__ unsigned warp_or(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(whole_warp, value);
#else
  for (int distance = 16; distance > 0; distance /= 2) value |= __shfl_xor_sync(whole_warp, value, distance);
  return value;
#endif
}

/// Kernels that end with an atomic operation of each warp on one word want no more blocks: such operations wait for
/// each other, 60 ms for one of each voxel of 512^3.
constexpr std::int64_t most_reducing_blocks = 1 << 11;

/// The sum of a warp, in all of its lanes; the same for the largest, which grows into `to`.
template <class T>
__device__ __forceinline__ T warp_sum_of(T value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(whole_warp, value, distance);
  return value;
}
__device__ __forceinline__ void add_largest(unsigned long long* to, unsigned long long value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value = max(value, __shfl_xor_sync(whole_warp, value, distance));
  }
  if (threadIdx.x % 32 == 0 && value > 0) atomicMax(to, value);
}

}  // namespace tamis::cuda
