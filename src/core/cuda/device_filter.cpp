#include "core/cuda/device_filter.hpp"

#include <string>

#include <tamis/error.hpp>

namespace tamis::cuda {
namespace {

Stream stream_of(int gpu, void* stream) {
  return stream ? Stream(gpu, static_cast<cudaStream_t>(stream)) : Stream(gpu);
}

}  // namespace

int usable_gpu(const Context& context) {
  Context asking = context;
  asking.device = Device::Cuda;
  require_device(asking);
  return context.gpu;
}

void require_samples(std::string_view what, const Shape& shape) {
  if (shape.x > 0 && shape.y > 0 && shape.z > 0) return;
  throw InputError("a prepared " + std::string(what) + " of " + to_string(shape) + "; wanted at least one sample");
}

void refuse_nan(const DeviceFilter& filter, std::string_view whose) {
  throw InputError(std::string(filter.what()) + ": " + std::string(whose) +
                   " holds NaN; wanted numbers, or nan ignore");
}

void warm_up(const Stream& stream, const DeviceFilter& filter, Type type, const Shape& shape) {
  const DeviceStore image(stream, type, shape);
  const DeviceStore out(stream, type, shape);
  const DeviceBuffer<unsigned> nan(stream, 1);
  check(cudaMemsetAsync(image.get().data, 0, static_cast<std::size_t>(image.get().slice * shape.z), stream.get()),
        "clear memory");
  filter.run(image.get(), out.get(), nan.data());
  stream.synchronize();
}

PreparedWork::PreparedWork(int gpu, void* callers_stream, Type type, const Shape& shape, const MakeFilter& make_filter)
    : type_(type),
      shape_(shape),
      stream_(stream_of(gpu, callers_stream)),
      filter_(make_filter(stream_)),
      in_(stream_, type, shape),
      out_(stream_, type, shape),
      nan_(stream_, 1),
      host_nan_(1) {
  warm_up(stream_, *filter_, type, shape);
  nan_.clear();
  stream_.synchronize();
}

PreparedWork::~PreparedWork() { static_cast<void>(cudaStreamSynchronize(stream_.get())); }

bool PreparedWork::in_place(const void* memory) const {
  constexpr std::int64_t piece = 16;
  return dense_row_bytes(type_, shape_.x) % piece == 0 && reinterpret_cast<std::uintptr_t>(memory) % piece == 0;
}

DeviceImage PreparedWork::lying_at(const void* memory) const {
  DeviceImage image = DeviceStore::layout(type_, shape_);
  image.data = const_cast<std::byte*>(static_cast<const std::byte*>(memory));  // written where it is output
  return image;
}

void PreparedWork::run(const void* image, void* out) {
  DeviceImage from = lying_at(image);
  if (!in_place(image)) {
    in_.fill(stream_, image);
    from = in_.get();
  }
  if (in_place(out)) return filter_->run(from, lying_at(out), nan_.data());
  filter_->run(from, out_.get(), nan_.data());
  out_.read(stream_, out);
}

void PreparedWork::wait() {
  if (!filter_->refuses_nan()) return stream_.synchronize();
  check(cudaMemcpyAsync(host_nan_.data(), nan_.data(), sizeof(unsigned), cudaMemcpyDeviceToHost, stream_.get()),
        "read a flag");
  nan_.clear();
  stream_.synchronize();
  if (host_nan_[0] != 0) refuse_nan(*filter_, "an image");
}

}  // namespace tamis::cuda
