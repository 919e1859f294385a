#include "python/array/result/binary.hpp"

#include <tamis/error.hpp>

#include "python/arguments.hpp"
#include "python/array/host.hpp"

namespace tamis::python {
namespace {

ThresholdOptions above_zero(Phase phase) {
  ThresholdOptions options;
  options.method = ThresholdMethod::Value;
  options.phase = phase;
  return options;
}

/// Whether an image that does not have two values is a mask that is 0, or 1, everywhere.
bool zero_or_one(Context context, Input& input) {
  context.on_note = {};
  ThresholdOptions options;
  options.method = ThresholdMethod::Band;
  options.low = -0.5;
  options.high = 1;
  const Binary inside = binarise(context, *input.source, options, input.region);
  return inside.volume == inside.domain_volume;
}

/// What make(context, options) makes of the options that these come to.
template <class Make>
auto made(Call& call, Input& input, ThresholdOptions options, const Make& make) {
  const bool none = options.method == ThresholdMethod::TwoValues;
  if (none && input.layout().type == Type::Bool) options = above_zero(options.phase);
  return call.run([&](const Context& context) {
    try {
      return make(context, options);
    } catch (const InputError&) {
      const Type type = input.layout().type;
      const bool whole = type != Type::F32 && type != Type::F64;
      if (options.method != ThresholdMethod::TwoValues || !whole || !zero_or_one(context, input)) throw;
      return make(context, above_zero(options.phase));
    }
  });
}

}  // namespace

Binary binary_of(Call& call, Input& input, const ThresholdOptions& threshold) {
  return made(call, input, threshold, [&](const Context& context, const ThresholdOptions& options) {
    return binarise(context, *input.source, options, input.region);
  });
}

void write_binary_of(Call& call, Input& input, const ThresholdOptions& threshold, const Output& output) {
  const Samples& samples = output.samples();
  if (output.is_fresh() && call.context().device != Device::Cuda) {
    static_cast<void>(made(call, input, threshold, [&](const Context& context, const ThresholdOptions& options) {
      return binarise(context, *input.source, options, input.region,
                      {samples.data, samples.strides[1], samples.strides[0]});
    }));
    return;
  }
  const Binary binary = binary_of(call, input, threshold);
  call.run([&](const Context& context) { unpack(context, binary.object, samples); });
}

std::optional<GpuBinary> gpu_binary_of(Call& call, Input& input, const ThresholdOptions& threshold) {
  const Context& context = call.context();
  if (context.device != Device::Cuda || !GpuBinary::fits(context, input.layout().shape)) return std::nullopt;
  return made(call, input, threshold, [&](const Context& own, const ThresholdOptions& options) {
    return GpuBinary(own, *input.source, options, input.region);
  });
}

}  // namespace tamis::python
