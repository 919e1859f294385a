// What prepared filters and streams of frames share. Only with CUDA.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/gpu_morphology.hpp>

#include "core/cuda/stream.hpp"
#include "morphology/filter_run.hpp"
#include "morphology/linear_cuda.hpp"

namespace tamis::morphology_detail {

/// The GPU of the context. Throws EnvironmentError if it cannot be used.
[[nodiscard]] inline int usable_gpu(const Context& context) {
  Context asking = context;
  asking.device = Device::Cuda;
  require_device(asking);
  return context.gpu;
}

/// A filter whose stream is ready, and which has run once: kernels are loaded and the pool of the stream is filled.
class PreparedFilter {
 public:
  PreparedFilter(const cuda::Stream& stream, FilterPlan plan, Type type, const Shape& shape)
      : stream_(stream),
        type_(type),
        shape_(shape),
        refuses_nan_(type == Type::F32 && plan.nan == NanPolicy::Refuse),
        run_(stream, std::move(plan), type, shape, type == Type::F32 && !refuses_nan_) {
    const DeviceStore image(stream, type, shape);
    const DeviceStore out(stream, type, shape);
    const cuda::DeviceBuffer<unsigned> nan(stream, 1);
    cuda::check(
        cudaMemsetAsync(image.get().data, 0, static_cast<std::size_t>(image.get().slice * shape.z), stream.get()),
        "clear memory");
    run(image.get(), out.get(), nan.data());
    stream.synchronize();
  }

  /// Queued. `nan` becomes 1 if there is some that is refused; otherwise it stays as it is.
  void run(const DeviceImage& image, const DeviceImage& out, unsigned* nan) const {
    if (refuses_nan_) find_nan(stream_, image, shape_, nan);
    run_.run(image, out);
  }
  [[nodiscard]] bool refuses_nan() const { return refuses_nan_; }
  [[noreturn]] void refuse_nan(std::string_view whose) const {
    throw InputError(std::string(run_.plan().what) + ": " + std::string(whose) +
                     " holds NaN; wanted numbers, or nan ignore");
  }

 private:
  const cuda::Stream& stream_;
  Type type_;
  Shape shape_;
  bool refuses_nan_;
  FilterRun run_;
};

/// Throws InputError for a shape without samples.
void require_samples(std::string_view what, const Shape& shape);

}  // namespace tamis::morphology_detail
