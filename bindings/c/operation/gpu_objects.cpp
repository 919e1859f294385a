// threshold, threshold_value and distance in the memory of a GPU.
#include "c/operation/sizes.hpp"

#include <string>

#include <tamis/operations/arguments.hpp>
#include <tamis/distance.hpp>
#include <tamis/error.hpp>

namespace tamis::c {
namespace {

GpuArray image_of(const Call& call) { return array_on(*call.images.gpu(), call.images.first()); }

/// "roi", or nothing.
GpuArray domain_of(const Call& call) {
  const ConstImageView* const roi = call.images.find("roi");
  if (!roi) return {};
  if (roi->type != Type::Bool && roi->type != Type::U8) {
    throw InputError("roi: " + std::string(name(roi->type)) + " in " + place(call.images.gpu()) +
                     "; wanted bool or u8");
  }
  return array_on(*call.images.gpu(), *roi);
}

bool is_zero_or_one(const Context& context, const GpuArray& image, const GpuArray& domain) {
  const Histogram values = histogram(context, image, domain);
  return values.minimum >= 0 && values.maximum <= 1;
}

/// Writes the object, and says by which threshold it was made.
void write_object(const Call& call, ThresholdOptions options, const GpuArray& image, const GpuArray& domain,
                  const GpuOutput& out) {
  ThresholdOptions above_zero;
  above_zero.method = ThresholdMethod::Value;
  above_zero.phase = options.phase;
  const bool whole = image.type != Type::F32 && image.type != Type::F64;
  // A mask of whole numbers may be 0, or 1, everywhere: it does not have two values.
  if (options.method == ThresholdMethod::TwoValues && whole &&
      (image.type == Type::Bool || is_zero_or_one(call.context, image, domain))) {
    options = above_zero;
  }
  call.result.figures["threshold"] = binarise(call.context, image, out, options, domain);
  if (options.method == ThresholdMethod::Band) call.result.figures["high"] = options.high;
  call.result.figures["method"] = name(options.method);
}

}  // namespace

GpuObject object_on_gpu(const Call& call, const ThresholdOptions& threshold) {
  call.refuse_stack();
  GpuObject object{image_of(call), domain_of(call)};
  call.outputs.require_shape(object.samples.shape);
  const bool ready = object.samples.type == Type::Bool && threshold.method == ThresholdMethod::TwoValues &&
                     threshold.phase == Phase::Bright;
  if (ready) return object;
  const GpuArray image = object.samples;
  object.made.emplace(call.context, image.gpu, image.shape.count());
  const GpuOutput out = dense_gpu_array(object.made->data(), Type::Bool, image.shape, image.gpu);
  write_object(call, threshold, image, object.domain, out);
  object.samples = dense_gpu_array<const void>(out.data, out.type, out.shape, out.gpu);
  return object;
}

void run_threshold_on_gpu(const Call& call) {
  const std::optional<ThresholdOptions> options = call.as<ThresholdArguments>().options();
  if (!options) throw InputError("wanted one of method, value and band");
  call.refuse_stack();
  const GpuArray image = image_of(call);
  write_object(call, *options, image, domain_of(call), call.place_on_gpu("out", Type::Bool, image.shape));
  call.tell_gpu();
}

void run_threshold_value_on_gpu(const Call& call) {
  const ThresholdMethod method =
      threshold_method(call.parameters.arguments.text("method")).value_or(ThresholdMethod::Otsu);
  call.result.figures["method"] = name(method);
  call.result.figures["value"] = threshold_value(call.context, image_of(call), method, domain_of(call));
}

void run_distance_on_gpu(const Call& call) {
  const auto& asked = call.as<DistanceArguments>();
  const GpuObject object = object_on_gpu(call, asked.threshold_options());
  const Shape& shape = object.samples.shape;
  const Spacing& spacing = call.images.first().spacing;
  if (asked.squared) {
    const GpuSquares squares = squared_distance(call.context, object.samples, asked.options(), object.domain, spacing,
                                                [&](Type type) { return call.place_on_gpu("out", type, shape); });
    call.result.figures["largest_square"] = squares.largest;
    call.result.figures["unbounded"] = squares.unbounded;
  } else {
    distance(call.context, object.samples, call.place_on_gpu("out", Type::F32, shape), asked.options(), object.domain,
             spacing);
  }
  call.result.figures["unit"] = length_unit(spacing);
  call.tell_gpu();
}

}  // namespace tamis::c
