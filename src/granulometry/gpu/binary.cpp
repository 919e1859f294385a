// Granulometry of an object whose bits lie on the GPU already.
#include <tamis/gpu/binary.hpp>

#include "core/door.hpp"
#include "core/gpu/stream.hpp"
#include "granulometry/gpu/array_kernels.hpp"
#include "granulometry/gpu/host.hpp"
#include "granulometry/gpu/window_run.hpp"
#include "granulometry/plan.hpp"

namespace tamis {
namespace {

using namespace granulometry_detail;
using namespace granulometry_detail::gpu;

std::int64_t border_voxels(int gpu, const Shape& shape, const BitViews& object, const BitViews& domain,
                           bool z_is_axis) {
  const cuda::DeviceScope scope(gpu);
  const cuda::Stream stream(gpu);
  return static_cast<std::int64_t>(census_of(stream, shape, object.image, domain.image, z_is_axis).border);
}

/// Whether the answer is known beforehand, which takes bits of the host.
bool never_erodes(const Binary& facts, const GranulometryOptions& options) {
  return options.border == DomainBorder::Neutral && facts.volume > 0 && facts.volume == facts.domain_volume;
}

struct Views {
  BitViews object, domain;

  explicit Views(const GpuBinary& binary) {
    const Shape& shape = binary.layout().shape;
    const Image& inside = binary.facts().domain;
    object = views_of(binary.object(), shape, shape.z);
    domain = views_of(binary.domain(), shape, inside.empty() ? 0 : inside.shape().z);
  }
};

Context on_gpu_of(const GpuBinary& binary, const Context& caller) {
  Context context = caller;
  context.device = Device::Cuda;
  context.gpu = binary.gpu();
  require_device(context);
  return context;
}

Sizes run(const Context& caller, const GpuBinary& binary, const GranulometryOptions& options, const MapOutput& map) {
  const Context context = on_gpu_of(binary, caller);
  const Shape& shape = binary.layout().shape;
  require_options(options, shape);
  const Binary& facts = binary.facts();
  if (never_erodes(facts, options)) {
    const Image object = binary.download(context);
    if (map) return size_map(context, object, options, facts.domain, map.start, map.sink);
    return granulometry(context, object, options, facts.domain);
  }
  const Views views(binary);
  const bool solid = is_volumetric(neighbours_of(shape, options.element));
  Sizes sizes = run_windows(context, {shape, views.object.volume, views.domain.volume, options}, map);
  sizes.border_voxels = border_voxels(context.gpu, shape, views.object, views.domain, solid);
  sizes.spacing = binary.layout().spacing;
  sizes.rank = solid ? 3 : 2;
  return sizes;
}

}  // namespace

Sizes granulometry(const Context& context, const GpuBinary& object, const GranulometryOptions& options) {
  return door::enter(context, "granulometry", [&] { return run(context, object, options, {}); });
}

Sizes size_map(const Context& context, const GpuBinary& object, const GranulometryOptions& options,
               const std::function<void(Type)>& start, const MapSink& sink) {
  door::require_map(start != nullptr, sink != nullptr, "size_map");
  return door::enter(context, "granulometry", [&] { return run(context, object, options, {start, sink}); });
}

namespace granulometry_detail {

std::optional<SlicesTally> tally_of_slices(const Context& context, const GpuBinary& object,
                                           const GranulometryOptions& options, std::int64_t begin, std::int64_t end) {
  const Context there = on_gpu_of(object, context);
  const Shape& shape = object.layout().shape;
  require_options(options, shape);
  if (never_erodes(object.facts(), options)) return {};
  const Views views(object);
  return count_windows(there, {shape, views.object.volume, views.domain.volume, options}, begin, end);
}

}  // namespace granulometry_detail

}  // namespace tamis
