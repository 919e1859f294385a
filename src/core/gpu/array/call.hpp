// A call on arrays of a GPU: its device made current, the caller's stream, and what arrays have to be.
#pragma once

#include <optional>
#include <string_view>

#include <tamis/gpu/array.hpp>

#include "core/gpu/filter.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

class ArrayCall {
 public:
  /// Throws InputError if the context is for another device, ResourceError if the GPU cannot be used, Cancelled.
  ArrayCall(const Context& context, int gpu);
  /// Nothing queued touches the arrays any more if the stream is the call's own.
  ~ArrayCall();
  ArrayCall(const ArrayCall&) = delete;
  ArrayCall& operator=(const ArrayCall&) = delete;

  [[nodiscard]] const Stream& stream() const { return *stream_; }
  /// The end of a call that need not wait: on a stream of its own it does.
  void finish() const;

 private:
  bool own_;
  DeviceScope scope_;
  std::optional<Stream> stream_;
};

/// Throws InputError unless the array can be read as it is described. `what` names it in the message.
void require_array(const GpuArray& array, std::string_view what);
/// The same for an array that is written.
void require_output(const GpuOutput& array, std::string_view what);
/// Throws InputError unless the other has the shape of the image, or, `one_slice`, is one slice of it, and is there.
void require_same_place(const GpuArray& image, const GpuArray& other, std::string_view what, bool one_slice);
/// A domain: Bool or U8, of the image's shape or one slice of it; or none.
void require_domain(const GpuArray& image, const GpuArray& domain);

[[nodiscard]] inline GpuArray as_input(const GpuOutput& array) {
  return {array.data, array.type, array.shape, array.stride_z, array.stride_y, array.stride_x, array.gpu};
}

// A filter of arrays that lie on a GPU and belong to others.

/// `out` may be the image or overlap it; then it stays as it was where the image holds NaN that is refused. Queued;
/// waits for F32 only, and on a stream of its own. Throws as the functions of gpu/array.hpp.
void filter_array(const Context& context, const GpuArray& image, const GpuOutput& out, const PlanFilter& plan);

}  // namespace tamis::cuda
