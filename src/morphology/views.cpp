// Morphology of images in memory of the caller.
#include <tamis/image/view.hpp>

#include "core/view/view.hpp"
#include "morphology/plan/filter.hpp"
#include "morphology/run.hpp"

namespace tamis {

using namespace morphology_detail;
using view_detail::Keeps;
using Images = std::span<const Image* const>;

void morphology(const Context& context, Operation operation, const ConstImageView& image, const ImageView& out,
                const MorphologyOptions& options) {
  require_view(image, name(operation));
  if (image.type == Type::Bool && better_as_bytes(operation, options, image.shape) &&
      view_detail::may_go_as_bytes(context, image, out)) {
    ConstImageView bytes = image;
    ImageView result = out;
    bytes.type = result.type = Type::U8;
    return morphology(context, operation, bytes, result, options);
  }
  view_detail::run_on_views(
      context, name(operation), {&image, 1}, out, Keeps::ToRows,
      [&](const Context& own, Images images, Image& result) {
        morphology(own, operation, *images[0], options, result);
      },
      [&] { return reach_of(plan_filter(operation, image.type, image.shape, options)); });
}

void hitmiss(const Context& context, const ConstImageView& image, const ImageView& out, const HitMissOptions& options) {
  view_detail::run_on_views(
      context, "hitmiss", {&image, 1}, out, Keeps::ToRows,
      [&](const Context& own, Images images, Image& result) { result = hitmiss(own, *images[0], options); },
      [&] { return reach_of(plan_hitmiss(image.type, image.shape, options)); });
}

void asf(const Context& context, const ConstImageView& image, const ImageView& out, const AsfOptions& options) {
  view_detail::run_on_views(
      context, "asf", {&image, 1}, out, Keeps::ToRows,
      [&](const Context& own, Images images, Image& result) { result = asf(own, *images[0], options); },
      [&] { return reach_of(plan_asf(image.type, image.shape, options)); });
}

void reconstruct(const Context& context, const ConstImageView& marker, const ConstImageView& mask, const ImageView& out,
                 const ReconstructOptions& options) {
  const ConstImageView both[] = {marker, mask};
  view_detail::run_on_views(context, "reconstruct", both, out, Keeps::NotToSamples,
                            [&](const Context& own, Images images, Image& result) {
                              result = reconstruct(own, *images[0], *images[1], options);
                            });
}

void open_by_reconstruction(const Context& context, const ConstImageView& image, const ImageView& out,
                            const MorphologyOptions& options, Connectivity connectivity) {
  view_detail::run_on_views(context, "open", {&image, 1}, out, Keeps::NotToSamples,
                            [&](const Context& own, Images images, Image& result) {
                              result = open_by_reconstruction(own, *images[0], options, connectivity);
                            });
}

void close_by_reconstruction(const Context& context, const ConstImageView& image, const ImageView& out,
                             const MorphologyOptions& options, Connectivity connectivity) {
  view_detail::run_on_views(context, "close", {&image, 1}, out, Keeps::NotToSamples,
                            [&](const Context& own, Images images, Image& result) {
                              result = close_by_reconstruction(own, *images[0], options, connectivity);
                            });
}

}  // namespace tamis
