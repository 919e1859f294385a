// Filters: operations that make an image of one or several of one type and shape.
#include <string>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/operations/masked.hpp>

#include "c/call.hpp"

namespace tamis::c {
namespace {

FilterReport report_of(const Call& call, const ConstImageView& like) {
  FilterReport report = call.operation.filter.report(call.context, call.parameters.arguments, like.type, like.shape);
  for (const auto& [name, value] : report.parameters) call.result.figures["parameters"][name] = value;
  return report;
}

/// What the filter sees; null: everything.
const ConstImageView* mask_of(const Call& call) {
  return takes_a_mask(call.operation) ? call.images.find("mask") : nullptr;
}

FilterDone filter_masked(const Call& call, const ConstImageView& mask) {
  const Image image = call.read(call.images.first());
  const std::unique_ptr<SliceSource> samples = source_of(mask);
  const Layout layout{image.type(), image.shape(), 1, image.spacing};
  const Image inside = read_all(call.context, *mask_source(*samples, layout));
  Image out;
  FilterDone done = filter_in_mask(call.context, call.operation, image, inside, call.parameters.arguments, out);
  out.spacing = image.spacing;
  call.give("out", std::move(out));
  return done;
}

}  // namespace

void run_filter(const Call& call) {
  const std::vector<ConstImageView> images = call.images.taken();
  const ConstImageView& like = images.back();
  call.outputs.require_shape(like.shape);
  const FilterReport report = report_of(call, like);
  FilterDone done;
  if (const ConstImageView* const mask = mask_of(call)) {
    done = filter_masked(call, *mask);
  } else {
    const ImageView out = call.place_for("out", like.type, like.shape, like.spacing);
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
  static_cast<void>(report_of(call, like));
  call.operation.filter.run_on_gpu(call.context, images, call.parameters.arguments,
                                   call.place_on_gpu("out", like.type, like.shape));
  call.tell_gpu();
}

}  // namespace tamis::c
