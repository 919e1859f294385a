// Filters: operations that make an image of one or several of one type and shape.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/operations/masked.hpp>
#include <tamis/operations/types.hpp>

#include "c/call.hpp"

namespace tamis::c {
namespace {

/// Whether another one has been given in the place of a parameter.
bool is_replaced(const Call& call, const Parameter& parameter) {
  const auto excludes = [](const Parameter& one, const Parameter& other) {
    return std::find(one.excludes.begin(), one.excludes.end(), other.name) != one.excludes.end();
  };
  const std::vector<Parameter>& all = call.operation.parameters;
  return std::any_of(all.begin(), all.end(), [&](const Parameter& other) {
    return call.parameters.arguments.given(other.name) && (excludes(other, parameter) || excludes(parameter, other));
  });
}

FilterReport report_of(const Call& call, Type type, const Shape& shape) {
  const Arguments& arguments = call.parameters.arguments;
  for (const Parameter& parameter : call.operation.parameters) {
    const std::string text = arguments.text(parameter.name);
    if (!text.empty() && !is_replaced(call, parameter)) call.result.figures["parameters"][parameter.name] = text;
  }
  return call.operation.filter.report(call.context, arguments, type, shape);
}

/// What the filter sees; null: everything.
const ConstImageView* mask_of(const Call& call) {
  return takes_a_mask(call.operation) ? call.images.find("mask") : nullptr;
}

SampleTypes types_of(const Call& call) {
  std::vector<Type> types;
  for (const ConstImageView& image : call.images.taken()) types.push_back(image.type);
  SampleTypes found = sample_types(call.operation, call.parameters.arguments, types);
  if (found.converts()) call.result.figures["conversion"] = found.note;
  if (types.back() != Type::F64) return found;
  const std::optional<ImageView> out = call.outputs.take("out", call.images.taken().back().shape);
  if (out && out->type == Type::F64) found.result = Type::F64;
  return found;
}

FilterDone filter_masked(const Call& call, const ConstImageView& mask, Type type) {
  const Image image = call.read(call.images.first());
  const std::unique_ptr<SliceSource> samples = source_of(mask);
  const Layout layout{image.type(), image.shape(), 1, image.spacing};
  const Image inside = read_all(call.context, *mask_source(*samples, layout));
  Image out;
  FilterDone done = filter_in_mask(call.context, call.operation, image, inside, call.parameters.arguments, out);
  out.spacing = image.spacing;
  call.give("out", back_to(call.context, type, std::move(out)));
  return done;
}

}  // namespace

void run_filter(const Call& call) {
  const std::vector<ConstImageView> images = call.images.taken();
  const ConstImageView& like = images.back();
  call.outputs.require_shape(like.shape);
  const SampleTypes types = types_of(call);
  const FilterReport report = report_of(call, types.inside, like.shape);
  FilterDone done;
  if (const ConstImageView* const mask = mask_of(call)) {
    done = filter_masked(call, *mask, types.result);
  } else {
    const ImageView out = call.place_for("out", types.result, like.shape, like.spacing);
    done = filter(call.context, call.operation, images, call.parameters.arguments, out);
  }
  const std::optional<Device> device = done.device ? done.device : report.device;
  if (device) call.result.figures["machine"] = call.context.describe(*device);
}

void run_filter_on_gpu(const Call& call) {
  const int gpu = *call.images.gpu();
  if (mask_of(call)) throw InputError("mask: in " + place(gpu) + "; wanted it and the image in " + place({}));
  std::vector<GpuArray> images;
  for (const ConstImageView& view : call.images.taken()) images.push_back(array_on(gpu, view));
  const ConstImageView like = call.images.taken().back();
  static_cast<void>(report_of(call, like.type, like.shape));
  call.operation.filter.run_on_gpu(call.context, images, call.parameters.arguments,
                                   call.place_on_gpu("out", like.type, like.shape));
  call.tell_gpu();
}

}  // namespace tamis::c
