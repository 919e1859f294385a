// Where tamis is built without CUDA: there is no GPU, and why. core/gpu has the same functions with CUDA.
#include <string>
#include <vector>

#include <tamis/gpu.hpp>

#include "core/device.hpp"

namespace tamis {

std::vector<Gpu> gpus() { return {}; }
std::string cuda_build() { return ""; }
std::string why_no_gpu() { return "this tamis was built without CUDA"; }

bool cuda_has_started() { return false; }

Gpu ask_gpu(int index) {
  Gpu gpu;
  gpu.index = index;
  gpu.problem = why_no_gpu();
  return gpu;
}

}  // namespace tamis
