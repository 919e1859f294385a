// Stands in for the functions on arrays of a GPU where tamis is built without CUDA.
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu_array.hpp>

#ifndef TAMIS_CUDA
namespace tamis {
namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw EnvironmentError(std::string(what) + " of an array on a GPU: " + why_no_gpu());
}

}  // namespace

void morphology(const Context&, Operation operation, const GpuArray&, const GpuOutput&, const MorphologyOptions&) {
  refuse(name(operation));
}
void hitmiss(const Context&, const GpuArray&, const GpuOutput&, const HitMissOptions&) { refuse("hitmiss"); }
void asf(const Context&, const GpuArray&, const GpuOutput&, const AsfOptions&) { refuse("asf"); }
void reconstruct(const Context&, const GpuArray&, const GpuArray&, const GpuOutput&, const ReconstructOptions&) {
  refuse("reconstruct");
}
void open_by_reconstruction(const Context&, const GpuArray&, const GpuOutput&, const MorphologyOptions&, Connectivity) {
  refuse("open by reconstruction");
}
void close_by_reconstruction(const Context&, const GpuArray&, const GpuOutput&, const MorphologyOptions&,
                             Connectivity) {
  refuse("close by reconstruction");
}

}  // namespace tamis
#endif
