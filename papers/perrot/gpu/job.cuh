// What every kernel is given, and how it reads.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace tamis::perrot::gpu {

struct Job {
  cudaTextureObject_t image = 0;  ///< 16-bit samples, clamped at the border
  std::uint16_t* out = nullptr;
  std::int64_t pitch = 0;  ///< samples from a row of `out` to the next
  int width = 0, height = 0;
  int radius = 0;
};

__device__ __forceinline__ int fetch(const Job& job, int x, int y) {
  return tex2D<std::uint16_t>(job.image, static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F);
}

struct Place {
  int x, y;
};
/// The pixel of this thread, or the first of `outputs` side by side.
template <int outputs = 1>
__device__ __forceinline__ Place place() {
  return {static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) * outputs),
          static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y)};
}
__device__ __forceinline__ bool inside(const Job& job, Place at) { return at.x < job.width && at.y < job.height; }
__device__ __forceinline__ void put(const Job& job, Place at, int value) {
  if (inside(job, at)) job.out[at.y * job.pitch + at.x] = static_cast<std::uint16_t>(value);
}

}  // namespace tamis::perrot::gpu
