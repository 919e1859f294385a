// Checked kernel launches. For .cu files.
#pragma once

#include <cuda_runtime.h>

#include "core/cuda/check.hpp"
#include "core/cuda/stream.hpp"

namespace tamis::cuda {

struct LaunchShape {
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes = 0;  ///< dynamic
};

/// Queues a kernel; errors of the launch itself are thrown at once, those of the run by a later check.
template <class... Parameters, class... Arguments>
void launch(const Stream& stream, const LaunchShape& shape, const char* what, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  constexpr std::size_t without_asking = 48 << 10;
  if (shape.shared_bytes > without_asking) {
    // The most there is, not what this launch needs: another thread may set it between here and the launch.
    int most = 0;
    cudaFuncAttributes attributes = {};
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, stream.device()), what);
    check(cudaFuncGetAttributes(&attributes, kernel), what);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               most - static_cast<int>(attributes.sharedSizeBytes)),
          what);
  }
  kernel<<<shape.blocks, shape.threads, shape.shared_bytes, stream.get()>>>(
      static_cast<Parameters>(std::forward<Arguments>(arguments))...);
  check(cudaGetLastError(), what);
}

}  // namespace tamis::cuda
