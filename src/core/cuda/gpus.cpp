// What CUDA says of the GPUs here. Built without CUDA, core/without_cuda.cpp stands in.
#include <tamis/gpu.hpp>

#include <cuda_runtime_api.h>
#include <tamis/version.hpp>

#include "core/cuda/check.hpp"
#include "core/cuda/probe.hpp"
#include "core/cuda/stream.hpp"

namespace tamis {
namespace {

Gpu describe_gpu(int index) {
  Gpu gpu;
  gpu.index = index;
  cudaDeviceProp properties = {};
  cuda::check(cudaGetDeviceProperties(&properties, index), "ask a device");
  gpu.name = properties.name;
  gpu.major = properties.major;
  gpu.minor = properties.minor;
  gpu.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  try {
    const cuda::DeviceScope scope(index);
    std::size_t free = 0;
    std::size_t total = 0;
    cuda::check(cudaMemGetInfo(&free, &total), "ask for free memory");
    gpu.free_bytes = static_cast<std::int64_t>(free);
    if (!cuda::has_code_for_current_device()) {
      gpu.problem = "compute capability " + std::to_string(gpu.major) + "." + std::to_string(gpu.minor) +
                    " is none of those this tamis was built for: " + cuda_build();
    }
  } catch (const EnvironmentError& error) {
    gpu.problem = error.what();
  }
  return gpu;
}

/// Number of devices, and why there are none.
int count_devices(std::string& why) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return count;
  static_cast<void>(cudaGetLastError());
  if (status == cudaErrorInsufficientDriver) {
    int driver = 0;
    static_cast<void>(cudaDriverGetVersion(&driver));
    why = driver == 0 ? "no NVIDIA driver is installed"
                      : "the NVIDIA driver is too old for CUDA " + std::to_string(CUDART_VERSION / 1000);
  } else {
    why = status == cudaSuccess || status == cudaErrorNoDevice ? "no GPU was found" : cudaGetErrorString(status);
  }
  return 0;
}

}  // namespace

std::vector<Gpu> gpus() {
  std::string why;
  std::vector<Gpu> all;
  const int count = count_devices(why);
  for (int index = 0; index < count; ++index) all.push_back(describe_gpu(index));
  return all;
}

std::string cuda_build() {
  return "CUDA " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10) +
         ", " TAMIS_CUDA_ARCHITECTURES;
}

std::string why_no_gpu() {
  std::string why;
  if (count_devices(why) == 0) return why;
  for (const Gpu& gpu : gpus()) {
    if (gpu.problem.empty()) return "";
    if (why.empty()) why = gpu.name + ": " + gpu.problem;
  }
  return why;
}

}  // namespace tamis
