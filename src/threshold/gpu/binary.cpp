// Bits that stay on the GPU: packed there by host.cpp, kept here.
#include "threshold/gpu/binary.hpp"

#include "core/door.hpp"
#include "core/gpu/callers/prepared.hpp"
#include "threshold/binarise.hpp"

namespace tamis {
namespace {

/// For the object and for a domain.
std::int64_t bytes_of_bits(const Shape& shape) { return 2 * shape.z * shape.y * ((shape.x + 63) / 64) * 8; }

/// Gives what is behind an object that was not moved elsewhere.
const auto& there(const auto& work) { return door::require_there(work, "an object on a GPU"); }

}  // namespace

GpuBinary::GpuBinary(const Context& context, SliceSource& source, const ThresholdOptions& options,
                     const Region& region) {
  door::enter(context, "threshold", [&] {
    const cuda::DeviceScope scope(cuda::usable_gpu(context));
    const auto work = std::make_shared<Work>(context.gpu, source.layout());
    Context on_gpu = context;
    on_gpu.device = Device::Cuda;
    on_gpu.more_gpus.clear();  // the bits stay on this one
    work->facts = threshold_detail::binarise_to(on_gpu, source, options, region, work->object.words.data());
    work->take_domain(context);
    work_ = work;
  });
}

bool GpuBinary::fits(const Context& context, const Shape& shape) {
  if (!context.more_gpus.empty()) return false;
  return bytes_of_bits(shape) <= cuda::device_memory_budget(context, cuda::usable_gpu(context)) / 4;
}

const Binary& GpuBinary::facts() const { return there(work_).facts; }
const Layout& GpuBinary::layout() const { return there(work_).layout; }
int GpuBinary::gpu() const { return there(work_).stream.device(); }
const std::uint64_t* GpuBinary::object() const { return there(work_).object.words.data(); }
const std::uint64_t* GpuBinary::domain() const { return there(work_).domain.words.data(); }

Image GpuBinary::download(const Context& context) const {
  return door::enter(context, "an object on a GPU", [&] {
    require_device(context);
    const Work& work = there(work_);
    const cuda::DeviceScope scope(gpu());
    Image image(Type::Bool, work.layout.shape, work.layout.spacing);
    cuda::check(
        cudaMemcpyAsync(image.data(), object(), work.object.words.bytes(), cudaMemcpyDeviceToHost, work.stream.get()),
        "copy bits");
    work.stream.synchronize();
    return image;
  });
}

}  // namespace tamis
