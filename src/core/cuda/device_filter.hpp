// Filters that are prepared for images of one type and shape and queued as often as wanted; and what runs them on
// memory of the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/cuda/device_image.hpp"
#include "core/cuda/stream.hpp"

namespace tamis::cuda {

class DeviceFilter {
 public:
  virtual ~DeviceFilter() = default;
  /// Queued. `nan` becomes 1 if there is some that is refused; otherwise it stays as it is.
  virtual void run(const DeviceImage& image, const DeviceImage& out, unsigned* nan) const = 0;
  [[nodiscard]] virtual bool refuses_nan() const = 0;
  /// "erode", "median" ...
  [[nodiscard]] virtual std::string_view what() const = 0;
};
/// Makes a filter that queues on the stream.
using MakeFilter = std::function<std::unique_ptr<DeviceFilter>(const Stream&)>;

/// The GPU of the context. Throws EnvironmentError if it cannot be used.
[[nodiscard]] int usable_gpu(const Context& context);
/// Throws InputError for a shape without samples.
void require_samples(std::string_view what, const Shape& shape);
/// Throws InputError: `whose` ("an image") holds NaN.
[[noreturn]] void refuse_nan(const DeviceFilter& filter, std::string_view whose);
/// Runs a filter once, on zeros: kernels are loaded and the pool of the stream is filled. Waits.
void warm_up(const Stream& stream, const DeviceFilter& filter, Type type, const Shape& shape);

/// A filter on device memory of the caller, as GpuMorphology has it.
class PreparedWork {
 public:
  /// `callers_stream`: a cudaStream_t, or nullptr for one of its own.
  PreparedWork(int gpu, void* callers_stream, Type type, const Shape& shape, const MakeFilter& make_filter);
  ~PreparedWork();
  PreparedWork(const PreparedWork&) = delete;
  PreparedWork& operator=(const PreparedWork&) = delete;

  void run(const void* image, void* out);
  void wait();
  [[nodiscard]] const Stream& stream() const { return stream_; }

 private:
  [[nodiscard]] bool in_place(const void* memory) const;
  [[nodiscard]] DeviceImage lying_at(const void* memory) const;

  Type type_;
  Shape shape_;
  Stream stream_;
  std::unique_ptr<DeviceFilter> filter_;
  DeviceStore in_, out_;  ///< for images that do not lie as kernels want them
  DeviceBuffer<unsigned> nan_;
  PinnedBuffer<unsigned> host_nan_;
};

}  // namespace tamis::cuda
