// Validation, and the choice of the backend.
#include <tamis/granulometry.hpp>

#include <cstring>


#include "core/door.hpp"
#include "granulometry/census.hpp"
#include "granulometry/cpu/run.hpp"
#ifdef TAMIS_CUDA
#include "granulometry/gpu/host.hpp"
#endif
#include "granulometry/plan.hpp"

namespace tamis {
namespace {

using granulometry_detail::MapOutput;
using granulometry_detail::Request;

Sizes run_chosen(const Context& context, const Request& request, const MapOutput& map) {
#ifdef TAMIS_CUDA
  if (choose_device(context, request.object->shape().count()) == Device::Cuda) {
    return granulometry_detail::gpu::run(context, request, map);
  }
#endif
  return granulometry_detail::cpu::run(context, request, map);
}

}  // namespace

namespace granulometry_detail {

Sizes measure(const Context& context, const Image& object, const GranulometryOptions& options, const Image& domain,
              const MapOutput& map, Backend backend) {
  return door::compute(context, "granulometry", [&] {
    require_object(object, domain);
    require_options(options, object.shape());
    const int rank = object.shape().rank == 3 && options.element != Element::Square ? 3 : 2;
    const Census census = take_census(context, object, domain, rank == 3);
    Request request{&object, domain.empty() ? nullptr : &domain, nullptr, options, false};
    request.never_erodes = options.border == DomainBorder::Neutral && census.object > 0 && census.object == census.domain;
    Sizes sizes = backend(context, request, map);
    sizes.border_voxels = census.border;
    sizes.spacing = object.spacing;
    sizes.rank = rank;
    return sizes;
  });
}

Image map_image(const Context& context, const Image& object, const GranulometryOptions& options, const Image& domain,
                Backend backend) {
  Image map;
  const auto start = [&](Type type) { map = Image(type, object.shape(), object.spacing); };
  const auto write = [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
    std::memcpy(map.row<std::byte>(z0, 0), slices, static_cast<std::size_t>(count * map.shape().y * map.row_bytes()));
  };
  static_cast<void>(measure(context, object, options, domain, {start, write}, backend));
  return map;
}

}  // namespace granulometry_detail

std::string_view name(Element element) {
  switch (element) {
    case Element::Cross:
      return "cross";
    case Element::Cube:
      return "cube";
    case Element::Square:
      return "square";
  }
  door::refuse_value(static_cast<std::int64_t>(element), static_cast<std::int64_t>(Element::Square), "element");
}

Sizes granulometry(const Context& context, const Image& object, const GranulometryOptions& options,
                   const Image& domain) {
  return granulometry_detail::measure(context, object, options, domain, {}, run_chosen);
}

Sizes size_map(const Context& context, const Image& object, const GranulometryOptions& options, const Image& domain,
               const std::function<void(Type)>& start, const MapSink& sink) {
  door::require_map(start != nullptr, sink != nullptr, "size_map");
  return granulometry_detail::measure(context, object, options, domain, {start, sink}, run_chosen);
}

Image size_map(const Context& context, const Image& object, const GranulometryOptions& options, const Image& domain) {
  return granulometry_detail::map_image(context, object, options, domain, run_chosen);
}

}  // namespace tamis
