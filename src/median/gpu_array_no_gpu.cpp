// Stands in for medians of arrays of a GPU where tamis is built without CUDA.
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu_array.hpp>

#ifndef TAMIS_CUDA
namespace tamis {

void median(const Context&, const GpuArray&, const GpuOutput&, const MedianOptions&) {
  throw EnvironmentError("median of an array on a GPU: " + why_no_gpu());
}
void smooth(const Context&, const GpuArray&, const GpuOutput&, const SmoothOptions&) {
  throw EnvironmentError("smooth of an array on a GPU: " + why_no_gpu());
}

}  // namespace tamis
#endif
