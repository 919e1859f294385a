// Medians of frames on the device that the context names.
#include "core/door.hpp"
#include "core/frames.hpp"
#ifdef TAMIS_CUDA
#include "median/gpu/filter.hpp"
#endif

namespace tamis {
namespace {

std::unique_ptr<core_detail::FrameWork> start(const Context& context, Type type, const Shape& shape,
                                              const MedianFrames& options) {
  return door::enter(context, "median", [&]() -> std::unique_ptr<core_detail::FrameWork> {
    [[maybe_unused]] const Device device = core_detail::device_of_frames(context);
#ifdef TAMIS_CUDA
    if (device == Device::Cuda) return median_detail::gpu::frames(context, type, shape, options);
#endif
    return core_detail::cpu::frames(context, type, shape, options.in_flight,
                                      [filter = options.median](const Context& on_cpu, const Image& image, Image& out) {
                                        median(on_cpu, image, filter, out);
                                      });
  });
}

}  // namespace

Frames::Frames(const Context& context, Type type, const Shape& shape, const MedianFrames& options)
    : work_(start(context, type, shape, options)) {}

}  // namespace tamis
