// Granulometry of an object whose bits lie on the GPU already.
#include <tamis/gpu/binary.hpp>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/array_kernels.hpp"
#include "granulometry/gpu/host.hpp"
#include "granulometry/gpu/window_run.hpp"
#include "granulometry/plan.hpp"

namespace tamis {
namespace {

using namespace granulometry_detail;
using namespace granulometry_detail::gpu;

std::int64_t border_voxels(int gpu, const Shape& shape, const BitViews& object, const BitViews& domain, bool z_is_axis) {
  const cuda::DeviceScope scope(gpu);
  const cuda::Stream stream(gpu);
  return static_cast<std::int64_t>(census_of(stream, shape, object.image, domain.image, z_is_axis).border);
}

Sizes run(const Context& caller, const GpuBinary& binary, const GranulometryOptions& options, const MapOutput& map) {
  Context context = caller;
  context.device = Device::Cuda;
  context.gpu = binary.gpu();
  require_device(context);
  const Shape& shape = binary.layout().shape;
  require_options(options, shape);
  const Binary& facts = binary.facts();
  const bool never_erodes =
      options.border == DomainBorder::Neutral && facts.volume > 0 && facts.volume == facts.domain_volume;
  if (never_erodes || options.algorithm == Algorithm::Paper) {
    const Image object = binary.download(context);
    if (map) return size_map(context, object, options, facts.domain, map.start, map.sink);
    return granulometry(context, object, options, facts.domain);
  }
  const BitViews object = views_of(binary.object(), shape, shape.z);
  const BitViews domain = views_of(binary.domain(), shape, facts.domain.empty() ? 0 : facts.domain.shape().z);
  const bool solid = is_volumetric(neighbours_of(shape, options.element));
  Sizes sizes = run_windows(context, {shape, object.volume, domain.volume, options}, map);
  sizes.border_voxels = border_voxels(context.gpu, shape, object, domain, solid);
  sizes.spacing = binary.layout().spacing;
  sizes.rank = solid ? 3 : 2;
  return sizes;
}

}  // namespace

Sizes granulometry(const Context& context, const GpuBinary& object, const GranulometryOptions& options) {
  return run(context, object, options, {});
}

Sizes size_map(const Context& context, const GpuBinary& object, const GranulometryOptions& options,
               const std::function<void(Type)>& start, const MapSink& sink) {
  return run(context, object, options, {start, sink});
}

}  // namespace tamis
