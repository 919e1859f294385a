// Checked kernel launches. For .cu files.
#pragma once

#include <cuda_runtime.h>

#include "core/gpu/stream.hpp"

namespace tamis::cuda {

/// As many blocks of a kernel as are wanted on a processor at a time, or as many as it has threads for: what
/// __launch_bounds__ may be told. A processor of Turing has 1024; no more than 1536 should be wanted, which is what
/// others have at least.
constexpr int blocks_of_processor(int wanted, int threads_of_block) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return wanted * threads_of_block <= 1024 ? wanted : 1024 / threads_of_block;
#else
  return wanted <= 2048 / threads_of_block ? wanted : 2048 / threads_of_block;
#endif
}

struct LaunchShape {
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes = 0;  ///< dynamic
};

/// Lets a kernel ask for more shared memory than it may by itself.
template <class... Parameters>
void allow_shared_bytes(const Stream& stream, void (*kernel)(Parameters...), std::size_t bytes, const char* what) {
  constexpr std::size_t without_asking = 48 << 10;
  if (bytes <= without_asking) return;
  // The most there is, not what this launch needs: another thread may set it between here and the launch.
  int most = 0;
  cudaFuncAttributes attributes = {};
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, stream.device()), what);
  check(cudaFuncGetAttributes(&attributes, kernel), what);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most - static_cast<int>(attributes.sharedSizeBytes)),
        what);
}

/// Queues a kernel that was allowed its shared memory before; errors of the launch itself are thrown at once, those of
/// the run by a later check.
template <class... Parameters, class... Arguments>
void launch_allowed(const Stream& stream, const LaunchShape& shape, const char* what, void (*kernel)(Parameters...),
                    Arguments&&... arguments) {
  kernel<<<shape.blocks, shape.threads, shape.shared_bytes, stream.get()>>>(
      static_cast<Parameters>(std::forward<Arguments>(arguments))...);
  check(cudaGetLastError(), what);
}

/// The same, and allows it.
template <class... Parameters, class... Arguments>
void launch(const Stream& stream, const LaunchShape& shape, const char* what, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  allow_shared_bytes(stream, kernel, shape.shared_bytes, what);
  launch_allowed(stream, shape, what, kernel, std::forward<Arguments>(arguments)...);
}

/// How many blocks of a kernel the device runs at the same time.
template <class... Parameters>
[[nodiscard]] int resident_blocks(const Stream& stream, void (*kernel)(Parameters...), int threads,
                                  std::size_t shared_bytes) {
  int of_processor = 0;
  int processors = 0;
  constexpr const char* what = "ask for the occupancy";
  allow_shared_bytes(stream, kernel, shared_bytes, what);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_processor, kernel, threads, shared_bytes), what);
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, stream.device()), what);
  return of_processor * processors;
}

}  // namespace tamis::cuda
