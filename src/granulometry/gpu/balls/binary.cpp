// Granulometry by balls of an object whose bits lie on the GPU already.
#include <tamis/gpu/binary.hpp>

#include <optional>

#include "core/door.hpp"
#include "core/gpu/stream.hpp"
#include "granulometry/gpu/array_kernels.hpp"
#include "granulometry/gpu/balls/engine.hpp"

namespace tamis {
namespace {

using namespace granulometry_detail;
using namespace granulometry_detail::gpu;

BallSizes by_way_of_the_host(const Context& context, const GpuBinary& binary, const BallOptions& options,
                             const BallMapRequest& map, const MapSink& sink) {
  const Image object = binary.download(context);
  const Image& domain = binary.facts().domain;
  if (!map.wanted) return ball_granulometry(context, object, options, domain);
  if (map.measure) return ball_map(context, object, *map.measure, options, domain, map.start, sink);
  return ball_map(context, object, options, domain, map.start, sink);
}

BallSizes measure(Context context, const GpuBinary& binary, const BallOptions& options, const BallMapRequest& map,
                  const MapSink& sink) {
  context.device = Device::Cuda;
  context.gpu = binary.gpu();
  require_device(context);
  if (map.wanted) door::require_map(map.start != nullptr, sink != nullptr, "ball_map");
  const Layout& layout = binary.layout();
  const BallRequest request = checked_request(layout.shape, layout.spacing, options);
  const Binary& facts = binary.facts();
  const bool never_erodes =
      options.border == DomainBorder::Neutral && facts.volume > 0 && facts.volume == facts.domain_volume;
  if (never_erodes) return by_way_of_the_host(context, binary, options, map, sink);
  const BitViews object = views_of(binary.object(), layout.shape, layout.shape.z);
  const BitViews domain = views_of(binary.domain(), layout.shape, facts.domain.empty() ? 0 : facts.domain.shape().z);
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  try {
    BallSizes result = balls::run(context, stream, request, {object.volume, domain.volume, {sink, {}}}, map);
    const ArrayCensus census = census_of(stream, layout.shape, object.image, domain.image, !request.flat);
    result.sizes.border_voxels = static_cast<std::int64_t>(census.border);
    result.sizes.spacing = layout.spacing;
    return result;
  } catch (const balls::TooWide& why) {
    balls::tell_of_cpu(context, why.what);
    context.device = Device::Cpu;
    return by_way_of_the_host(context, binary, options, map, sink);
  }
}

BallSizes run(const Context& context, const GpuBinary& binary, const BallOptions& options, const BallMapRequest& map,
              const MapSink& sink) {
  if (map.measure) door::require_known(*map.measure, BallMeasure::Diameter, "measure");
  return door::enter(context, "balls", [&] { return measure(context, binary, options, map, sink); });
}

}  // namespace

BallSizes ball_granulometry(const Context& context, const GpuBinary& object, const BallOptions& options) {
  return run(context, object, options, {}, {});
}

BallSizes ball_map(const Context& context, const GpuBinary& object, const BallOptions& options, const BallStart& start,
                   const MapSink& sink) {
  return run(context, object, options, {true, std::nullopt, start}, sink);
}

BallSizes ball_map(const Context& context, const GpuBinary& object, BallMeasure measure, const BallOptions& options,
                   const BallStart& start, const MapSink& sink) {
  return run(context, object, options, {true, measure, start}, sink);
}

}  // namespace tamis
