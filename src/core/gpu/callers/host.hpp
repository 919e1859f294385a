// A filter on the GPU of images of the host.
#pragma once

#include <cstdint>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/gpu/callers/slab_plan.hpp"
#include "core/gpu/filter.hpp"

namespace tamis::cuda {

/// In slabs, if the filter is local, where device memory, or its limit, is less than the whole takes, and of a large
/// image so that copies and kernels run side by side. `out` has type and shape of the image. Throws InputError, and
/// writes nothing, if the image holds NaN that is refused; ResourceError if device memory is short; Cancelled.
void filter_image(const Context& context, const GpuFilter& filter, const Image& image, Image& out,
                  const HostTuning& tuning = {});

/// Throws ResourceError: an operation on images of this shape takes so many bytes of device memory at least.
[[noreturn]] void refuse_device_memory(const Context& context, std::string_view what, const Shape& shape,
                                       std::int64_t bytes);

/// work() of an operation that is not local and so not cut into slabs: refused where the limit of device memory is less
/// than `bytes`, which it takes at least, and where memory runs out.
template <class Work>
auto run_whole(const Context& context, std::string_view what, const Shape& shape, std::int64_t bytes,
               const Work& work) {
  if (context.device_memory_bytes > 0 && bytes > context.device_memory_bytes) {
    refuse_device_memory(context, what, shape, bytes);
  }
  try {
    return work();
  } catch (const OutOfMemory&) {
    refuse_device_memory(context, what, shape, bytes);
  }
}

}  // namespace tamis::cuda
