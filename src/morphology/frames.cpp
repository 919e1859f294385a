// Frames on the device that the context names.
#include "core/door.hpp"
#include "core/frames.hpp"
#ifdef TAMIS_CUDA
#include "morphology/gpu/filter.hpp"
#endif

namespace tamis {
namespace {

std::unique_ptr<core_detail::FrameWork> start(const Context& context, Operation operation, Type type,
                                              const Shape& shape, const Frames::Options& options) {
  return door::enter(context, name(operation), [&]() -> std::unique_ptr<core_detail::FrameWork> {
    [[maybe_unused]] const Device device = core_detail::device_of_frames(context);
#ifdef TAMIS_CUDA
    if (device == Device::Cuda) return morphology_detail::gpu::frames(context, operation, type, shape, options);
#endif
    return core_detail::cpu::frames(
        context, type, shape, options.in_flight,
        [operation, filter = options.morphology](const Context& on_cpu, const Image& image, Image& out) {
          morphology(on_cpu, operation, image, filter, out);
        });
  });
}

}  // namespace

Frames::Frames(const Context& context, Operation operation, Type type, const Shape& shape, const Options& options)
    : work_(start(context, operation, type, shape, options)) {}

}  // namespace tamis
