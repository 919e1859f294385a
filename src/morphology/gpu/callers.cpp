// The public functions for arrays on a GPU, prepared filters and frames.
#include <tamis/gpu/array.hpp>
#include <tamis/gpu/morphology.hpp>

#include "core/gpu/array/call.hpp"
#include "core/gpu/callers/frames.hpp"
#include "core/gpu/callers/prepared.hpp"
#include "morphology/gpu/filter.hpp"

namespace tamis {
namespace {

using namespace morphology_detail;
using namespace morphology_detail::gpu;

cuda::PlanFilter planned(Operation operation, Type type, const Shape& shape, const MorphologyOptions& options) {
  return [=] { return make_filter(plan_filter(operation, type, shape, options), type, shape); };
}
cuda::PlanFilter planned(Type type, const Shape& shape, const HitMissOptions& options) {
  return [=] { return make_filter(plan_hitmiss(type, shape, options), type, shape); };
}

}  // namespace

void morphology(const Context& context, Operation operation, const GpuArray& image, const GpuOutput& out,
                const MorphologyOptions& options) {
  cuda::filter_array(context, image, out, planned(operation, image.type, image.shape, options));
}

void hitmiss(const Context& context, const GpuArray& image, const GpuOutput& out, const HitMissOptions& options) {
  cuda::filter_array(context, image, out, planned(image.type, image.shape, options));
}

void asf(const Context& context, const GpuArray& image, const GpuOutput& out, const AsfOptions& options) {
  cuda::filter_array(context, image, out, [&] {
    return make_chain(context, plan_asf(image.type, image.shape, options), image.type, image.shape);
  });
}

GpuMorphology::GpuMorphology(const Context& context, Operation operation, Type type, const Shape& shape,
                             const Options& options)
    : GpuPrepared(cuda::prepare(context, options.stream, name(operation), shape,
                                planned(operation, type, shape, options.morphology))) {}
GpuMorphology::GpuMorphology(const Context& context, Type type, const Shape& shape, const HitMissOptions& options,
                             void* stream)
    : GpuPrepared(cuda::prepare(context, stream, "hitmiss", shape, planned(type, shape, options))) {}

std::unique_ptr<core_detail::FrameWork> morphology_detail::gpu::frames(const Context& context, Operation operation,
                                                                       Type type, const Shape& shape,
                                                                       const Frames::Options& options) {
  return cuda::frames(context, name(operation), shape, options.in_flight,
                      planned(operation, type, shape, options.morphology));
}

}  // namespace tamis
