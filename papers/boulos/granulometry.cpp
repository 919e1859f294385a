#include "papers/boulos/granulometry.hpp"

#include "core/device.hpp"
#include "core/memory.hpp"
#include "granulometry/cpu/run.hpp"
#include "granulometry/plan.hpp"
#include "granulometry/request.hpp"
#include "papers/boulos/cpu/run.hpp"
#ifdef TAMIS_CUDA
#include "papers/boulos/gpu/scheme.hpp"
#endif

namespace tamis::boulos {
namespace {

Sizes run(const Context& context, const granulometry_detail::Request& request,
          const granulometry_detail::MapOutput& map) {
  if (request.never_erodes) return granulometry_detail::cpu::run(context, request, map);  // there is nothing to compute
#ifdef TAMIS_CUDA
  if (choose_device(context, request.object->shape().count()) == Device::Cuda) {
    Sizes sizes = gpu::run(context, request, map);
    sizes.device = Device::Cuda;
    sizes.gpu = context.gpu;
    return sizes;
  }
#endif
  const std::int64_t bits = request.object->bytes() + (request.domain ? request.domain->bytes() : 0);
  return cpu::run(context, request, map,
                  granulometry_detail::memory_budget(context) - (context.memory_bytes > 0 ? bits : 0));
}

}  // namespace

Sizes granulometry(const Context& context, const Image& object, const GranulometryOptions& options,
                   const Image& domain) {
  return granulometry_detail::measure(context, object, options, domain, {}, run);
}

Image size_map(const Context& context, const Image& object, const GranulometryOptions& options, const Image& domain) {
  return granulometry_detail::map_image(context, object, options, domain, run);
}

}  // namespace tamis::boulos
