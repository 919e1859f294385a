// Filters: operations that make an image of one or several of one type and shape.
#include <utility>
#include <vector>

#include <tamis/masked.hpp>

#include "c/call.hpp"

namespace tamis::c {
namespace {

FilterDone filter(const Call& call, const std::vector<Image>& images, Image& out) {
  const Arguments& arguments = call.parameters.arguments;
  if (const ConstImageView* const mask = call.images.find("mask"); mask && images.size() == 1) {
    const Image& image = images.front();
    const std::unique_ptr<SliceSource> samples = source_of(*mask);
    const Layout layout{image.type(), image.shape(), 1, image.spacing};
    const Image inside = read_all(call.context, *mask_source(*samples, layout));
    return filter_in_mask(call.context, call.operation, image, inside, arguments, out);
  }
  std::vector<const Image*> all;
  for (const Image& image : images) all.push_back(&image);
  return call.operation.filter.run(call.context, all, arguments, out);
}

}  // namespace

void run_filter(const Call& call) {
  std::vector<Image> images;
  for (const ConstImageView& view : call.images.taken()) images.push_back(call.read(view));
  const Image& like = images.back();
  const FilterReport report =
      call.operation.filter.report(call.context, call.parameters.arguments, like.type(), like.shape());
  Image out;
  const FilterDone done = filter(call, images, out);
  out.spacing = like.spacing;
  for (const auto& [name, value] : report.parameters) call.result.figures["parameters"][name] = value;
  const std::optional<Device> device = done.device ? done.device : report.device;
  if (device) call.result.figures["machine"] = call.context.describe(*device);
  call.result.add(call.context, "out", std::move(out));
}

}  // namespace tamis::c
