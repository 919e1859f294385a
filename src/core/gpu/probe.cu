#include "core/gpu/probe.hpp"

#include <cuda_runtime.h>

namespace tamis::cuda {
namespace {

__global__ void probe() {}

}  // namespace

bool has_code_for_current_device() {
  cudaFuncAttributes attributes = {};
  const bool found = cudaFuncGetAttributes(&attributes, probe) == cudaSuccess;
  static_cast<void>(cudaGetLastError());
  return found;
}

}  // namespace tamis::cuda
