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

}  // namespace tamis::cuda
