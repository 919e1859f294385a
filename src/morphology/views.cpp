// Morphology of images in memory of the caller.
#include <tamis/image/view.hpp>

#include <string>

#include "core/view/view.hpp"
#include "morphology/bits_as_bytes.hpp"

namespace tamis {

using view_detail::Keeps;
using Images = std::span<const Image* const>;

namespace {

/// Zeros and ones that lie in bytes where bits would be packed, filtered and unpacked, for no gain.
bool go_as_bytes(const Context& context, Operation operation, const ConstImageView& image, const ImageView& out,
                 const MorphologyOptions& options) {
  if (image.type != Type::Bool || out.type != Type::Bool || context.device == Device::Cuda) return false;
  return morphology_detail::better_as_bytes(operation, options, image.shape) &&
         view_detail::holds_zeros_and_ones(context, image);
}

}  // namespace

void morphology(const Context& context, Operation operation, const ConstImageView& image, const ImageView& out,
                const MorphologyOptions& options) {
  require_view(image, name(operation));
  if (go_as_bytes(context, operation, image, out, options)) {
    ConstImageView bytes = image;
    ImageView result = out;
    bytes.type = result.type = Type::U8;
    return morphology(context, operation, bytes, result, options);
  }
  view_detail::run_on_views(context, name(operation), {&image, 1}, out, Keeps::ToRows, [&](Images images, Image& result) {
    morphology(context, operation, *images[0], options, result);
  });
}

void hitmiss(const Context& context, const ConstImageView& image, const ImageView& out, const HitMissOptions& options) {
  view_detail::run_on_views(context, "hitmiss", {&image, 1}, out, Keeps::ToRows, [&](Images images, Image& result) {
    result = hitmiss(context, *images[0], options);
  });
}

void asf(const Context& context, const ConstImageView& image, const ImageView& out, const AsfOptions& options) {
  view_detail::run_on_views(context, "asf", {&image, 1}, out, Keeps::ToRows, [&](Images images, Image& result) {
    result = asf(context, *images[0], options);
  });
}

void reconstruct(const Context& context, const ConstImageView& marker, const ConstImageView& mask, const ImageView& out,
                 const ReconstructOptions& options) {
  const ConstImageView both[] = {marker, mask};
  view_detail::run_on_views(context, "reconstruct", both, out, Keeps::NotToSamples, [&](Images images, Image& result) {
    result = reconstruct(context, *images[0], *images[1], options);
  });
}

void open_by_reconstruction(const Context& context, const ConstImageView& image, const ImageView& out,
                            const MorphologyOptions& options, Connectivity connectivity) {
  view_detail::run_on_views(context, "open", {&image, 1}, out, Keeps::NotToSamples, [&](Images images, Image& result) {
    result = open_by_reconstruction(context, *images[0], options, connectivity);
  });
}

void close_by_reconstruction(const Context& context, const ConstImageView& image, const ImageView& out,
                             const MorphologyOptions& options, Connectivity connectivity) {
  view_detail::run_on_views(context, "close", {&image, 1}, out, Keeps::NotToSamples, [&](Images images, Image& result) {
    result = close_by_reconstruction(context, *images[0], options, connectivity);
  });
}

}  // namespace tamis
