// Stands in for the functions on arrays of a GPU where tamis is built without CUDA.
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu_array.hpp>

#ifndef TAMIS_CUDA
namespace tamis {
namespace {

[[noreturn]] void refuse() { throw EnvironmentError("threshold of an array on a GPU: " + why_no_gpu()); }

}  // namespace

std::optional<int> gpu_of(const void*) { return std::nullopt; }
void order_streams(int, void*, void*) { refuse(); }
double binarise(const Context&, const GpuArray&, const GpuOutput&, const ThresholdOptions&, const GpuArray&) {
  refuse();
}
Histogram histogram(const Context&, const GpuArray&, const GpuArray&) { refuse(); }

}  // namespace tamis
#endif
