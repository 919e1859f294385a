// What CUDA says of the GPUs here. Built without CUDA, core/no_gpu.cpp stands in.
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include <cuda_runtime_api.h>

#include "core/device.hpp"
#include "core/gpu/probe.hpp"
#include "core/gpu/stream.hpp"

namespace tamis {
namespace {

std::atomic<bool> started = false;

Gpu describe_gpu(int index) {
  Gpu gpu;
  gpu.index = index;
  try {
    cudaDeviceProp properties = {};
    cuda::check(cudaGetDeviceProperties(&properties, index), "ask a device");
    gpu.name = properties.name;
    gpu.major = properties.major;
    gpu.minor = properties.minor;
    gpu.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
    const cuda::DeviceScope scope(index);
    std::size_t free = 0;
    std::size_t total = 0;
    cuda::check(cudaMemGetInfo(&free, &total), "ask for free memory");
    started = true;
    gpu.free_bytes = static_cast<std::int64_t>(free);
    if (!cuda::has_code_for_current_device()) {
      gpu.problem = "compute capability " + std::to_string(gpu.major) + "." + std::to_string(gpu.minor) +
                    " is none of those this tamis was built for: " + cuda_build();
    }
  } catch (const ResourceError& error) {
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
  std::vector<Gpu> all(static_cast<std::size_t>(count_devices(why)));
  std::vector<std::jthread> asking;  // to ask one for its memory starts it, which takes a third of a second
  for (std::size_t i = 0; i < all.size(); ++i) {
    asking.emplace_back([&all, i] { all[i] = describe_gpu(static_cast<int>(i)); });
  }
  asking.clear();  // which waits
  return all;
}

std::string cuda_build() {
  return "CUDA " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10) +
         ", " TAMIS_CUDA_ARCHITECTURES;
}

std::string why_no_gpu() {
  std::string why;
  const int count = count_devices(why);
  for (int index = 0; index < count; ++index) {
    const Gpu gpu = ask_gpu(index);
    if (gpu.problem.empty()) return "";
    if (why.empty()) why = gpu.name + ": " + gpu.problem;
  }
  return why;
}

bool cuda_has_started() { return started; }

Gpu ask_gpu(int index) {
  // What a GPU is does not change while a process runs; one that could not be used may recover.
  static std::mutex mutex;
  static std::map<int, Gpu> usable;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = usable.find(index); found != usable.end()) return found->second;
  }
  Gpu gpu;
  gpu.index = index;
  const int count = count_devices(gpu.problem);
  if (count == 0) return gpu;
  if (index < 0 || index >= count) {
    gpu.problem = "there is no such GPU, the last is cuda:" + std::to_string(count - 1);
    return gpu;
  }
  gpu = describe_gpu(index);  // without the lock: GPUs start side by side
  const std::lock_guard lock(mutex);
  if (gpu.problem.empty()) usable[index] = gpu;
  return gpu;
}

}  // namespace tamis
