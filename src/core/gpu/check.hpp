// CUDA errors become the typed errors of tamis.
#pragma once

#include <string>

#include <cuda_runtime_api.h>
#include <tamis/error.hpp>

namespace tamis::cuda {

/// The GPU has too little memory for a request. Callers that can work in slabs catch it.
class OutOfMemory : public ResourceError {
 public:
  using ResourceError::ResourceError;
};

/// Throws if a call of the CUDA runtime failed; `what` says what was attempted.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // the next call must not report this one again
  const std::string message = std::string("GPU: ") + what + ": " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) throw OutOfMemory(message);
  throw ResourceError(message);
}

}  // namespace tamis::cuda
