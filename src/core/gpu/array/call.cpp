#include "core/gpu/array/call.hpp"

#include <cstdint>
#include <string>

#include <tamis/error.hpp>

#include "core/device.hpp"
#include "core/door.hpp"
#include "core/gpu/array/images.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {
namespace {

std::string place(int gpu) { return "GPU " + std::to_string(gpu); }

/// The GPU of an array that this context may use.
int usable_gpu(const Context& context, int gpu) {
  if (context.device == Device::Cpu) {
    throw InputError("an array on " + place(gpu) + " with `device cpu`; wanted `device auto`, or an array of the host");
  }
  if (context.device == Device::Cuda && context.gpu != gpu) {
    throw InputError("an array on " + place(gpu) + " with device cuda:" + std::to_string(context.gpu) +
                     "; wanted the device where the array is, or auto");
  }
  Context asking = context;
  asking.device = Device::Cuda;
  asking.gpu = gpu;
  require_device(asking);
  return gpu;
}

/// Whether a step is a whole number of samples; where there is only one sample it does not matter.
bool whole(std::int64_t stride, std::int64_t extent, std::int64_t sample) {
  return extent == 1 || stride % sample == 0;
}

}  // namespace

ArrayCall::ArrayCall(const Context& context, int gpu)
    : own_(context.stream == nullptr), scope_(usable_gpu(context, gpu)) {
  if (own_) {
    stream_.emplace(gpu);
  } else {
    stream_.emplace(gpu, static_cast<cudaStream_t>(context.stream));
  }
}

ArrayCall::~ArrayCall() {
  if (own_) static_cast<void>(cudaStreamSynchronize(stream_->get()));
}

void ArrayCall::finish() const {
  if (own_) stream_->synchronize();
}

void require_array(const GpuArray& array, std::string_view what) {
  const std::string named(what);
  const Shape& shape = array.shape;
  if (array.empty()) throw InputError(named + ": no array; wanted one on a GPU");
  door::require_shape(array.type, shape, what);
  door::require_strides(array.data, array.type, shape, {nullptr, array.stride_y, array.stride_z}, array.stride_x, false,
                        what);
  const std::int64_t sample = sample_bytes(array.type);
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(array.data));
  if (address % sample != 0 || !whole(array.stride_x, shape.x, sample) || !whole(array.stride_y, shape.y, sample) ||
      !whole(array.stride_z, shape.z, sample)) {
    throw InputError(named + ": " + std::string(name(array.type)) + " samples at addresses that are no multiple of " +
                     std::to_string(sample) + "; wanted aligned ones: copy the array");
  }
  const std::optional<int> gpu = gpu_of(array.data);
  if (gpu == array.gpu) return;
  throw InputError(named + " in the memory of " + (gpu ? place(*gpu) : std::string("the host")) + "; wanted that of " +
                   place(array.gpu));
}

void require_output(const GpuOutput& array, std::string_view what) {
  require_array(as_input(array), what);
  door::require_strides(array.data, array.type, array.shape, {nullptr, array.stride_y, array.stride_z}, array.stride_x,
                        true, what);
}

void require_same_place(const GpuArray& image, const GpuArray& other, std::string_view what, bool one_slice) {
  const Shape& wanted = image.shape;
  const Shape& got = other.shape;
  if (got.x != wanted.x || got.y != wanted.y || (got.z != wanted.z && !(one_slice && got.z == 1))) {
    throw InputError(std::string(what) + " of " + to_string(got) + "; wanted " + to_string(wanted) +
                     (one_slice && wanted.rank == 3 ? ", or one slice of it" : ""));
  }
  if (other.gpu != image.gpu) {
    throw InputError(std::string(what) + " on " + place(other.gpu) + "; wanted " + place(image.gpu) +
                     ", where the image is");
  }
}

void require_domain(const GpuArray& image, const GpuArray& domain) {
  if (domain.empty()) return;
  require_same_place(image, domain, "domain", true);
  require_array(domain, "domain");
  if (domain.type == Type::Bool || domain.type == Type::U8) return;
  throw InputError("domain of " + std::string(name(domain.type)) + "; wanted bool or u8");
}

}  // namespace tamis::cuda

namespace tamis {

std::optional<int> gpu_of(const void* memory) {
  cudaPointerAttributes attributes = {};
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return std::nullopt;
  }
  const bool on_gpu = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return on_gpu ? std::optional(attributes.device) : std::nullopt;
}

void order_streams(int gpu, void* earlier, void* later) {
  if (earlier == later) return;
  const cuda::DeviceScope scope(gpu);
  const cuda::Event reached(gpu);  // CUDA keeps what is still needed of it
  reached.record(cuda::Stream(gpu, static_cast<cudaStream_t>(earlier)));
  reached.hold(cuda::Stream(gpu, static_cast<cudaStream_t>(later)));
}

}  // namespace tamis

namespace tamis::cuda {
namespace {

void run(const Stream& stream, const GpuFilter& filter, const GpuArray& image, const GpuOutput& out) {
  const bool apart = overlap(image, as_input(out));
  const ArrayInput input(stream, image);
  const ArrayResult result(stream, out, apart);
  if (!run_once(stream, filter, filter.shape, input.get(), result.get())) refuse_nan(filter, "the array");
  result.deliver();
}

}  // namespace

void filter_array(const Context& context, const GpuArray& image, const GpuOutput& out, const PlanFilter& plan) {
  door::enter(context, "filter", [&] {
    const ArrayCall call(context, image.gpu);
    require_array(image, "image");
    const GpuFilter filter = plan();
    require_result(image, out);
    try {
      run(call.stream(), filter, image, out);
    } catch (const OutOfMemory&) {
      refuse_memory(context, filter.what, image, filter.images * stored_bytes(image));
    }
    call.finish();
  });
}

}  // namespace tamis::cuda
