// A filter on device memory of the caller, prepared once and run again and again, as GpuMorphology and GpuMedian have
// it.
#pragma once

#include <memory>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/gpu/filter.hpp"

namespace tamis::cuda {

/// The GPU of the context. Throws ResourceError if it cannot be used.
[[nodiscard]] int usable_gpu(const Context& context);
/// `callers_stream`: a cudaStream_t, or nullptr for a stream of its own.
[[nodiscard]] Stream stream_of(int gpu, void* callers_stream);
/// The filter made, and run once on zeros: kernels are loaded and the pool of the stream is filled. Waits.
[[nodiscard]] std::unique_ptr<DeviceFilter> make_warm(const Stream& stream, const GpuFilter& filter);

class PreparedState {
 public:
  /// `callers_stream`: a cudaStream_t, or nullptr for one of its own.
  PreparedState(int gpu, void* callers_stream, GpuFilter filter);
  ~PreparedState();
  PreparedState(const PreparedState&) = delete;
  PreparedState& operator=(const PreparedState&) = delete;

  void run(const void* image, void* out);
  /// Throws InputError if there was NaN that is refused.
  void wait();
  [[nodiscard]] void* stream() const { return stream_.get(); }

 private:
  [[nodiscard]] bool in_place(const void* memory) const;
  [[nodiscard]] DeviceImage lying_at(const void* memory) const;

  Stream stream_;
  GpuFilter filter_;
  std::unique_ptr<DeviceFilter> made_;
  DeviceStore in_, out_;  ///< for images that do not lie as kernels want them
  DeviceBuffer<unsigned> nan_;
  PinnedBuffer<unsigned> host_nan_;
};

/// Throws InputError as `plan` does and for a shape without samples, ResourceError without a GPU or memory.
[[nodiscard]] std::unique_ptr<PreparedState> prepare(const Context& context, void* callers_stream,
                                                     std::string_view what, const Shape& shape, const PlanFilter& plan);

}  // namespace tamis::cuda
