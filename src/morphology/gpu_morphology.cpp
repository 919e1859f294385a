// The prepared form: filter_run does the work.
#include <tamis/gpu_morphology.hpp>

#include <functional>
#include <memory>
#include <utility>

#ifdef TAMIS_CUDA
#include "morphology/prepared_filter.hpp"

namespace tamis {
namespace {

using namespace morphology_detail;

/// Plans at once, so that bad options are refused before anything is made.
cuda::MakeFilter filter_of(FilterPlan plan, Type type, const Shape& shape) {
  return [plan = std::move(plan), type, shape](const cuda::Stream& stream) {
    return std::make_unique<PreparedFilter>(stream, plan, type, shape);
  };
}

}  // namespace

GpuMorphology::GpuMorphology(const Context& context, Operation operation, Type type, const Shape& shape,
                             const Options& options) {
  const cuda::DeviceScope scope(cuda::usable_gpu(context));
  cuda::require_samples(name(operation), shape);
  work_ = std::make_unique<cuda::PreparedWork>(
      context.gpu, options.stream, type, shape,
      filter_of(plan_filter(operation, type, shape, options.morphology), type, shape));
}

GpuMorphology::GpuMorphology(const Context& context, Type type, const Shape& shape, const HitMissOptions& options,
                             void* stream) {
  const cuda::DeviceScope scope(cuda::usable_gpu(context));
  cuda::require_samples("hitmiss", shape);
  work_ = std::make_unique<cuda::PreparedWork>(context.gpu, stream, type, shape,
                                               filter_of(plan_hitmiss(type, shape, options), type, shape));
}

void GpuMorphology::run(const void* image, void* out) {
  const cuda::DeviceScope scope(work_->stream().device());
  work_->run(image, out);
}

void* GpuMorphology::stream() const { return work_->stream().get(); }

void GpuMorphology::wait() {
  const cuda::DeviceScope scope(work_->stream().device());
  work_->wait();
}

GpuFrames::GpuFrames(const Context& context, Operation operation, Type type, const Shape& shape,
                     const Options& options) {
  start(context, name(operation), type, shape, options.in_flight, [&](const cuda::Stream& stream) {
    return filter_of(plan_filter(operation, type, shape, options.morphology), type, shape)(stream);
  });
}

}  // namespace tamis

#else
#include "core/no_gpu_work.hpp"

namespace tamis {

GpuMorphology::GpuMorphology(const Context& context, Operation, Type, const Shape&, const Options&) {
  refuse_gpu(context);
}
GpuMorphology::GpuMorphology(const Context& context, Type, const Shape&, const HitMissOptions&, void*) {
  refuse_gpu(context);
}
void GpuMorphology::run(const void*, void*) {}
void* GpuMorphology::stream() const { return nullptr; }
void GpuMorphology::wait() {}
GpuFrames::GpuFrames(const Context& context, Operation, Type, const Shape&, const Options&) { refuse_gpu(context); }

}  // namespace tamis
#endif

namespace tamis {

GpuMorphology::~GpuMorphology() = default;
GpuMorphology::GpuMorphology(GpuMorphology&&) noexcept = default;
GpuMorphology& GpuMorphology::operator=(GpuMorphology&&) noexcept = default;

}  // namespace tamis
