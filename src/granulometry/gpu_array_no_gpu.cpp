// Stands in for the functions on arrays of a GPU where tamis is built without CUDA.
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu_array.hpp>

#ifndef TAMIS_CUDA
namespace tamis {
namespace {

[[noreturn]] void refuse() { throw EnvironmentError("granulometry of an array on a GPU: " + why_no_gpu()); }

}  // namespace

Sizes granulometry(const Context&, const GpuArray&, const GranulometryOptions&, const GpuArray&) { refuse(); }
void size_map(const Context&, const GpuArray&, const GpuOutput&, const GranulometryOptions&, const GpuArray&) {
  refuse();
}
Sizes size_map(const Context&, const GpuArray&, const GranulometryOptions&, const GpuArray&,
               const std::function<GpuOutput(Type)>&) {
  refuse();
}

}  // namespace tamis
#endif
