#include "papers/boulos/granulometry.hpp"

#include <cstring>

#include "core/device.hpp"
#include "core/door.hpp"
#include "core/memory.hpp"
#include "granulometry/census.hpp"
#include "granulometry/plan.hpp"
#include "granulometry/request.hpp"
#include "papers/boulos/cpu/run.hpp"
#ifdef TAMIS_CUDA
#include "papers/boulos/gpu/scheme.hpp"
#endif

namespace tamis::boulos {
namespace {

using granulometry_detail::MapOutput;
using granulometry_detail::Request;

Sizes run_chosen(const Context& context, const Request& request, const MapOutput& map) {
#ifdef TAMIS_CUDA
  if (choose_device(context, request.object->shape().count()) == Device::Cuda) {
    Sizes sizes = gpu::run(context, request, map);
    sizes.device = Device::Cuda;
    sizes.gpu = context.gpu;
    return sizes;
  }
#endif
  const std::int64_t bits = request.object->bytes() + (request.domain ? request.domain->bytes() : 0);
  return cpu::run(context, request, map, granulometry_detail::memory_budget(context) - (context.memory_bytes > 0 ? bits : 0));
}

Sizes run(const Context& context, const Image& object, const GranulometryOptions& options, const Image& domain,
          const MapOutput& map) {
  return door::compute(context, "granulometry", [&] {
    granulometry_detail::require_object(object, domain);
    granulometry_detail::require_options(options, object.shape());
    const int rank = object.shape().rank == 3 && options.element != Element::Square ? 3 : 2;
    const granulometry_detail::Census census = granulometry_detail::take_census(context, object, domain, rank == 3);
    if (options.border == DomainBorder::Neutral && census.object > 0 && census.object == census.domain) {
      // Nothing erodes, so there is nothing to compute.
      return map ? tamis::size_map(context, object, options, domain, map.start, map.sink)
                 : tamis::granulometry(context, object, options, domain);
    }
    Sizes sizes = run_chosen(context, {&object, domain.empty() ? nullptr : &domain, nullptr, options, false}, map);
    sizes.border_voxels = census.border;
    sizes.spacing = object.spacing;
    sizes.rank = rank;
    return sizes;
  });
}

}  // namespace

Sizes granulometry(const Context& context, const Image& object, const GranulometryOptions& options,
                   const Image& domain) {
  return run(context, object, options, domain, {});
}

Image size_map(const Context& context, const Image& object, const GranulometryOptions& options, const Image& domain) {
  Image map;
  run(context, object, options, domain,
      {[&](Type type) { map = Image(type, object.shape(), object.spacing); },
       [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
         std::memcpy(map.row<std::byte>(z0, 0), slices,
                     static_cast<std::size_t>(count * map.shape().y * map.row_bytes()));
       }});
  return map;
}

}  // namespace tamis::boulos
