// The prepared form: filter_run does the work.
#include <tamis/gpu_morphology.hpp>

#include <cstdint>
#include <string>
#include <utility>

#include <tamis/error.hpp>

#ifdef TAMIS_CUDA
#include "core/cuda/stream.hpp"
#include "morphology/prepared_filter.hpp"

namespace tamis {

using namespace morphology_detail;

namespace {

cuda::Stream stream_of(int gpu, void* stream) {
  return stream ? cuda::Stream(gpu, static_cast<cudaStream_t>(stream)) : cuda::Stream(gpu);
}

bool in_place(const void* image, std::int64_t row_bytes) {
  constexpr std::int64_t piece = 16;
  return row_bytes % piece == 0 && reinterpret_cast<std::uintptr_t>(image) % piece == 0;
}

/// Device memory of the caller as an image.
DeviceImage lying_at(const void* memory, Type type, const Shape& shape) {
  DeviceImage image = DeviceStore::layout(type, shape);
  image.data = const_cast<std::byte*>(static_cast<const std::byte*>(memory));  // written where it is output
  return image;
}

}  // namespace

void morphology_detail::require_samples(std::string_view what, const Shape& shape) {
  if (shape.x > 0 && shape.y > 0 && shape.z > 0) return;
  throw InputError("a prepared " + std::string(what) + " of " + to_string(shape) + "; wanted at least one sample");
}

struct GpuMorphology::Work {
  Work(const Context& context, FilterPlan plan, Type of, const Shape& extent, void* callers_stream)
      : type(of),
        shape(extent),
        stream(stream_of(context.gpu, callers_stream)),
        filter(stream, std::move(plan), of, extent),
        in(stream, of, extent),
        out(stream, of, extent),
        nan(stream, 1),
        host_nan(1) {
    nan.clear();
    stream.synchronize();
  }
  ~Work() { static_cast<void>(cudaStreamSynchronize(stream.get())); }

  Type type;
  Shape shape;
  cuda::Stream stream;
  PreparedFilter filter;
  DeviceStore in, out;  ///< for images that do not lie as kernels want them
  cuda::DeviceBuffer<unsigned> nan;
  cuda::PinnedBuffer<unsigned> host_nan;
};

GpuMorphology::GpuMorphology(const Context& context, Operation operation, Type type, const Shape& shape,
                             const Options& options) {
  const cuda::DeviceScope scope(usable_gpu(context));
  require_samples(name(operation), shape);
  work_ = std::make_unique<Work>(context, plan_filter(operation, type, shape, options.morphology), type, shape,
                                 options.stream);
}

GpuMorphology::GpuMorphology(const Context& context, Type type, const Shape& shape, const HitMissOptions& options,
                             void* stream) {
  const cuda::DeviceScope scope(usable_gpu(context));
  require_samples("hitmiss", shape);
  work_ = std::make_unique<Work>(context, plan_hitmiss(type, shape, options), type, shape, stream);
}

GpuMorphology::~GpuMorphology() = default;
GpuMorphology::GpuMorphology(GpuMorphology&&) noexcept = default;
GpuMorphology& GpuMorphology::operator=(GpuMorphology&&) noexcept = default;

void GpuMorphology::run(const void* image, void* out) {
  Work& work = *work_;
  const cuda::DeviceScope scope(work.stream.device());
  const std::int64_t row = dense_row_bytes(work.type, work.shape.x);
  DeviceImage from = lying_at(image, work.type, work.shape);
  if (!in_place(image, row)) {
    work.in.fill(work.stream, image);
    from = work.in.get();
  }
  if (in_place(out, row)) return work.filter.run(from, lying_at(out, work.type, work.shape), work.nan.data());
  work.filter.run(from, work.out.get(), work.nan.data());
  work.out.read(work.stream, out);
}

void* GpuMorphology::stream() const { return work_->stream.get(); }

void GpuMorphology::wait() {
  Work& work = *work_;
  const cuda::DeviceScope scope(work.stream.device());
  if (!work.filter.refuses_nan()) return work.stream.synchronize();
  cuda::check(cudaMemcpyAsync(work.host_nan.data(), work.nan.data(), sizeof(unsigned), cudaMemcpyDeviceToHost,
                              work.stream.get()),
              "read a flag");
  work.nan.clear();
  work.stream.synchronize();
  if (work.host_nan[0] != 0) work.filter.refuse_nan("an image");
}

}  // namespace tamis

#else

namespace tamis {

struct GpuMorphology::Work {};
GpuMorphology::GpuMorphology(const Context& context, Operation, Type, const Shape&, const Options&) {
  Context asking = context;
  asking.device = Device::Cuda;
  require_device(asking);  // throws: there is none
}
GpuMorphology::GpuMorphology(const Context& context, Type type, const Shape& shape, const HitMissOptions&, void*)
    : GpuMorphology(context, Operation::Erode, type, shape, Options{}) {}
GpuMorphology::~GpuMorphology() = default;
GpuMorphology::GpuMorphology(GpuMorphology&&) noexcept = default;
GpuMorphology& GpuMorphology::operator=(GpuMorphology&&) noexcept = default;
void GpuMorphology::run(const void*, void*) {}
void* GpuMorphology::stream() const { return nullptr; }
void GpuMorphology::wait() {}

}  // namespace tamis
#endif
