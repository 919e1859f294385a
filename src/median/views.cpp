// Medians of images in memory of the caller.
#include <tamis/image/view.hpp>

#include "core/view/view.hpp"

namespace tamis {
namespace {

/// `filter` is one of the functions for images.
template <class Options, class Filter>
MedianFacts run(const Context& context, const char* what, const ConstImageView& image, const ImageView& out,
                const Options& options, Filter filter) {
  MedianFacts facts;
  view_detail::run_on_views(context, what, {&image, 1}, out, view_detail::Keeps::ToRows, [&](std::span<const Image* const> images, Image& result) {
    facts = filter(*images[0], options, result);
  });
  return facts;
}

}  // namespace

MedianFacts median(const Context& context, const ConstImageView& image, const ImageView& out, const MedianOptions& options) {
  return run(context, "median", image, out, options,
             [&](const Image& in, const MedianOptions& how, Image& result) { return median(context, in, how, result); });
}

MedianFacts smooth(const Context& context, const ConstImageView& image, const ImageView& out, const SmoothOptions& options) {
  return run(context, "smooth", image, out, options,
             [&](const Image& in, const SmoothOptions& how, Image& result) { return smooth(context, in, how, result); });
}

MedianFacts remove_outliers(const Context& context, const ConstImageView& image, const ImageView& out,
                            const OutlierOptions& options) {
  return run(context, "remove_outliers", image, out, options, [&](const Image& in, const OutlierOptions& how, Image& result) {
    return remove_outliers(context, in, how, result);
  });
}

}  // namespace tamis
