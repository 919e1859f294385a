// Lines, turns and skews of images in memory of the caller.
#include <tamis/image/view.hpp>

#include "core/view/view.hpp"

namespace tamis {

using view_detail::Keeps;
using view_detail::seen_as_image;
using Images = std::span<const Image* const>;

void rotate(const Context& context, const ConstImageView& image, double degrees, const RotateOptions& options,
            const ImageView& out) {
  Shape shape = options.size.value_or(image.shape);
  shape.z = image.shape.z;
  shape.rank = image.shape.rank;
  view_detail::run_on_views(
      context, "rotate", {&image, 1}, out, Keeps::ToRows,
      [&](const Context& own, Images images, Image& result) { rotate(own, *images[0], degrees, options, result); }, {},
      Layout{image.type, shape, 1, {}});
}

Skew find_skew(const Context& context, const ConstImageView& page, const DeskewOptions& options) {
  return find_skew(context, seen_as_image(context, "deskew", page), options);
}

void traced_opening(const Context& context, const ConstImageView& image, const ImageView& out, std::int64_t length,
                    double angle, const Border& border) {
  view_detail::run_on_views(context, "traced opening", {&image, 1}, out, Keeps::ToRows,
                            [&](const Context& own, Images images, Image& result) {
                              traced_opening(own, *images[0], length, angle, border, result);
                            });
}

Orientation orientation(const Context& context, const ConstImageView& image, const OrientationOptions& options) {
  return orientation(context, seen_as_image(context, "orientation", image), options);
}

std::vector<AngularSpectrum> angular_spectra(const Context& context, const ConstImageView& image,
                                             const OrientationOptions& options) {
  return angular_spectra(context, seen_as_image(context, "orientation", image), options);
}

Sizes line_granulometry(const Context& context, const ConstImageView& image, const LineGranulometryOptions& options) {
  return line_granulometry(context, seen_as_image(context, "granulometry", image), options);
}

}  // namespace tamis
