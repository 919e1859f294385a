// Granulometry by balls of arrays that lie on a GPU: bytes to bits, the run of this folder, its map to the caller's
// array.
#include <optional>
#include <string>

#include <tamis/error.hpp>
#include <tamis/gpu/array.hpp>

#include "core/door.hpp"
#include "core/gpu/array/call.hpp"
#include "core/gpu/array/copy.hpp"
#include "granulometry/gpu/array_kernels.hpp"
#include "granulometry/gpu/balls/engine.hpp"

namespace tamis {
namespace {

using cuda::ArrayCall;
using cuda::DeviceBits;
using namespace granulometry_detail;
using namespace granulometry_detail::gpu;

BitVolume volume_of(const DeviceBits& bits, const Shape& shape) {
  if (bits.empty()) return {};
  return {bits.words.data(), shape.y * bits.words_of_row, bits.slices, true};
}

BitImage image_of(const DeviceBits& bits) { return {bits.words.data(), bits.words_of_row, bits.slices}; }

void validate(const GpuArray& object, const GpuArray& domain) {
  cuda::require_array(object, "object");
  if (object.type != Type::Bool) {
    throw InputError("balls in " + std::string(name(object.type)) +
                     " samples on a GPU; wanted bool: threshold them first");
  }
  cuda::require_domain(object, domain);
}

BallSizes run(const Context& caller, const GpuArray& object, const BallOptions& options, const GpuArray& domain,
              const Spacing& spacing, std::optional<BallMeasure> measure,
              const std::function<GpuOutput(Type)>& allocate) {
  if (measure) door::require_known(*measure, BallMeasure::Diameter, "measure");
  const ArrayCall call(caller, object.gpu);
  validate(object, domain);
  Context context = caller;
  context.gpu = object.gpu;
  const Shape& shape = object.shape;
  const BallRequest request = checked_request(shape, spacing, options);
  const cuda::Stream& stream = call.stream();
  DeviceBits inside;
  if (!domain.empty()) inside = cuda::pack_array(stream, domain, {});
  const DeviceBits bits = cuda::pack_array(stream, object, inside);
  const auto allocate_checked = [&](Type type) {
    const GpuOutput out = allocate(type);
    cuda::require_same_place(object, cuda::as_input(out), "map", false);
    cuda::require_output(out, "map");
    if (out.type == type) return out;
    throw InputError("a map of " + std::string(name(out.type)) + "; wanted " + std::string(name(type)));
  };
  const BallMapRequest map{static_cast<bool>(allocate), measure, [](const BallSizes&, Type) {}};
  try {
    BallSizes result = balls::run(
        context, stream, request,
        {volume_of(bits, shape), volume_of(inside, shape),
         {{}, allocate ? std::function<GpuOutput(Type)>(allocate_checked) : std::function<GpuOutput(Type)>()}},
        map);
    const ArrayCensus census = census_of(stream, shape, image_of(bits), image_of(inside), !request.flat);
    result.sizes.border_voxels = static_cast<std::int64_t>(census.border);
    result.sizes.spacing = spacing;
    return result;
  } catch (const balls::TooWide&) {
    throw ResourceError("balls in an array on a GPU of " + to_string(shape) +
                        ", whose squares may not fit 60 bits, or whose balls need slices of 2^31 voxels; wanted an "
                        "array of the host");
  }
}

}  // namespace

BallSizes ball_granulometry(const Context& context, const GpuArray& object, const BallOptions& options,
                            const GpuArray& domain, const Spacing& spacing) {
  return door::enter(context, "balls",
                     [&] { return run(context, object, options, domain, spacing, std::nullopt, nullptr); });
}

BallSizes ball_map(const Context& context, const GpuArray& object, BallMeasure measure, const BallOptions& options,
                   const GpuArray& domain, const Spacing& spacing, const std::function<GpuOutput(Type)>& allocate) {
  return door::enter(context, "balls",
                     [&] { return run(context, object, options, domain, spacing, measure, allocate); });
}

}  // namespace tamis
