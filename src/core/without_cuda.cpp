// Stands in for src/core/cuda where tamis is built without CUDA.
#include <tamis/gpu.hpp>

#ifndef TAMIS_CUDA
namespace tamis {

std::vector<Gpu> gpus() { return {}; }
std::string cuda_build() { return ""; }
std::string why_no_gpu() { return "this tamis was built without CUDA"; }

}  // namespace tamis
#endif
