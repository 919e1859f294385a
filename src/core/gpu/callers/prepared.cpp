#include "core/gpu/callers/prepared.hpp"

#include <string>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/gpu/prepared.hpp>

#include "core/door.hpp"

namespace tamis::cuda {

Stream stream_of(int gpu, void* callers_stream) {
  return callers_stream ? Stream(gpu, static_cast<cudaStream_t>(callers_stream)) : Stream(gpu);
}

int usable_gpu(const Context& context) {
  Context asking = context;
  asking.device = Device::Cuda;
  require_device(asking);
  return context.gpu;
}

std::unique_ptr<DeviceFilter> make_warm(const Stream& stream, const GpuFilter& filter) {
  std::unique_ptr<DeviceFilter> made = filter.make(stream, filter.shape, filter.leaves_nan_out());
  const DeviceStore image(stream, filter.type, filter.shape);
  const DeviceStore out(stream, filter.type, filter.shape);
  const DeviceBuffer<unsigned> nan(stream, 1);
  check(
      cudaMemsetAsync(image.get().data, 0, static_cast<std::size_t>(image.get().slice * filter.shape.z), stream.get()),
      "clear memory");
  run_and_look(stream, *made, filter.shape, image.get(), out.get(), filter.refuses_nan() ? nan.data() : nullptr);
  stream.synchronize();
  return made;
}

PreparedState::PreparedState(int gpu, void* callers_stream, GpuFilter filter)
    : stream_(stream_of(gpu, callers_stream)),
      filter_(std::move(filter)),
      made_(make_warm(stream_, filter_)),
      in_(stream_, filter_.type, filter_.shape),
      out_(stream_, filter_.type, filter_.shape),
      nan_(stream_, 1),
      host_nan_(1) {
  nan_.clear();
  stream_.synchronize();
}

PreparedState::~PreparedState() { static_cast<void>(cudaStreamSynchronize(stream_.get())); }

bool PreparedState::in_place(const void* memory) const {
  constexpr std::int64_t piece = 16;
  return dense_row_bytes(filter_.type, filter_.shape.x) % piece == 0 &&
         reinterpret_cast<std::uintptr_t>(memory) % piece == 0;
}

DeviceImage PreparedState::lying_at(const void* memory) const {
  DeviceImage image = DeviceStore::layout(filter_.type, filter_.shape);
  image.data = const_cast<std::byte*>(static_cast<const std::byte*>(memory));  // written where it is output
  return image;
}

void PreparedState::run(const void* image, void* out) {
  const DeviceScope scope(stream_.device());
  if (!in_place(image)) in_.fill(stream_, image);
  const DeviceImage from = in_place(image) ? lying_at(image) : in_.get();
  const DeviceImage to = in_place(out) ? lying_at(out) : out_.get();
  run_and_look(stream_, *made_, filter_.shape, from, to, filter_.refuses_nan() ? nan_.data() : nullptr);
  if (!in_place(out)) out_.read(stream_, out);
}

void PreparedState::wait() {
  const DeviceScope scope(stream_.device());
  if (!filter_.refuses_nan()) return stream_.synchronize();
  check(cudaMemcpyAsync(host_nan_.data(), nan_.data(), sizeof(unsigned), cudaMemcpyDeviceToHost, stream_.get()),
        "read a flag");
  nan_.clear();
  stream_.synchronize();
  if (host_nan_[0] != 0) refuse_nan(filter_, "an image");
}

std::unique_ptr<PreparedState> prepare(const Context& context, void* callers_stream, std::string_view what,
                                       const Shape& shape, const PlanFilter& plan) {
  return door::enter(context, what, [&] {
    const DeviceScope scope(usable_gpu(context));
    door::require_shape(Type::U8, shape, what);
    return std::make_unique<PreparedState>(context.gpu, callers_stream, plan());
  });
}

}  // namespace tamis::cuda

namespace tamis {

GpuPrepared::GpuPrepared(std::unique_ptr<cuda::PreparedState> work) : work_(std::move(work)) {}
GpuPrepared::~GpuPrepared() = default;
GpuPrepared::GpuPrepared(GpuPrepared&&) noexcept = default;
GpuPrepared& GpuPrepared::operator=(GpuPrepared&&) noexcept = default;

void GpuPrepared::run(const void* image, void* out) {
  door::require_pointer(image, "an image");
  door::require_pointer(out, "memory for a result");
  door::require_there(work_, "a filter").run(image, out);
}
void* GpuPrepared::stream() const { return door::require_there(work_, "a filter").stream(); }
void GpuPrepared::wait() { door::require_there(work_, "a filter").wait(); }

}  // namespace tamis
