// Reductions over a whole warp, which GPUs before Ampere (8.0) have no instruction for.
#pragma once

namespace tamis::cuda {

__device__ __forceinline__ unsigned warp_sum(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0U, value);
#else
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0U, value, distance);
  return value;
#endif
}

__device__ __forceinline__ int warp_max(int value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0U, value);
#else
  for (int distance = 16; distance > 0; distance /= 2) value = max(value, __shfl_xor_sync(~0U, value, distance));
  return value;
#endif
}

}  // namespace tamis::cuda
