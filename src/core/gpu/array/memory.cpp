// Memory of a GPU for results that belong to nobody yet, and copies of arrays to where others want them.
#include <string>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/gpu/memory.hpp>

#include "core/door.hpp"
#include "core/gpu/array/call.hpp"
#include "core/gpu/array/copy.hpp"
#include "core/gpu/array/images.hpp"

namespace tamis {

GpuMemory::GpuMemory(const Context& context, int gpu, std::int64_t bytes) : gpu_(gpu) {
  door::enter(context, "GPU memory", [&] {
    const cuda::ArrayCall call(context, gpu);  // waits for a stream of its own
    try {
      data_ = call.stream().allocate(static_cast<std::size_t>(bytes));
    } catch (const cuda::OutOfMemory&) {
      throw ResourceError("GPU memory: a result takes " + std::to_string((bytes >> 20) + 1) + " MiB, got " +
                          std::to_string(cuda::device_memory_budget(context, gpu) >> 20) +
                          " MiB; wanted more free memory, or images of the host, which go in slabs");
    }
  });
}

GpuMemory::~GpuMemory() {
  if (!data_) return;
  try {
    const cuda::DeviceScope scope(gpu_);
    static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaFree(data_));  // its stream may be gone
  } catch (const Error&) {
    // At the end of a process the driver may have gone before, and the memory with it.
  }
}

GpuMemory::GpuMemory(GpuMemory&& other) noexcept : gpu_(other.gpu_), data_(std::exchange(other.data_, nullptr)) {}

GpuMemory& GpuMemory::operator=(GpuMemory&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(data_, other.data_);
  return *this;
}

void copy(const Context& context, const GpuArray& image, const GpuOutput& out) {
  door::enter(context, "copy", [&] {
    const cuda::ArrayCall call(context, image.gpu);
    cuda::require_array(image, "image");
    cuda::require_result(image, out);
    if (cuda::overlap(image, cuda::as_input(out))) throw InputError("a copy of an array to where it lies itself");
    cuda::copy_samples(call.stream(), image, out);
    call.finish();
  });
}

}  // namespace tamis
