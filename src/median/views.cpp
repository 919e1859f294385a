// Medians of images in memory of the caller.
#include <tamis/image/view.hpp>

#include <mutex>

#include "core/view/view.hpp"
#include "median/plan/steps.hpp"

namespace tamis {
namespace {

using median_detail::MedianPlan;
using median_detail::plan_median;
using median_detail::plan_outliers;
using median_detail::plan_smooth;

/// `filter` is one of the functions for images, and `plan` is what it does.
template <class Filter, class Plan>
MedianFacts run(const Context& context, const char* what, const ConstImageView& image, const ImageView& out,
                Filter filter, Plan plan) {
  MedianFacts facts;
  std::mutex guard;
  view_detail::run_on_views(
      context, what, {&image, 1}, out, view_detail::Keeps::ToRows,
      [&](const Context& own, std::span<const Image* const> images, Image& result) {
        MedianFacts done = filter(own, *images[0], result);
        const std::lock_guard lock(guard);
        facts = std::move(done);
      },
      [&] { return reach_of(plan(image.type, image.shape)); });
  return facts;
}

}  // namespace

MedianFacts median(const Context& context, const ConstImageView& image, const ImageView& out,
                   const MedianOptions& options) {
  return run(
      context, "median", image, out,
      [&](const Context& own, const Image& in, Image& result) { return median(own, in, options, result); },
      [&](Type type, const Shape& shape) { return plan_median(type, shape, options); });
}

MedianFacts smooth(const Context& context, const ConstImageView& image, const ImageView& out,
                   const SmoothOptions& options) {
  return run(
      context, "smooth", image, out,
      [&](const Context& own, const Image& in, Image& result) { return smooth(own, in, options, result); },
      [&](Type type, const Shape& shape) { return plan_smooth(type, shape, options); });
}

MedianFacts remove_outliers(const Context& context, const ConstImageView& image, const ImageView& out,
                            const OutlierOptions& options) {
  return run(
      context, "remove_outliers", image, out,
      [&](const Context& own, const Image& in, Image& result) { return remove_outliers(own, in, options, result); },
      [&](Type type, const Shape& shape) { return plan_outliers(type, shape, options); });
}

}  // namespace tamis
