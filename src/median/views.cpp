// Medians of images in memory of the caller.
#include <tamis/image/view.hpp>

#include <mutex>

#include "core/view/view.hpp"
#include "median/plan/steps.hpp"

namespace tamis {
namespace {

using namespace median_detail;

/// `filter` is one of the functions for images, and `plan` is what it does.
template <class Options, class Plan>
MedianFacts run(const Context& context, const char* what, const ConstImageView& image, const ImageView& out,
                const Options& options, MedianFacts (*filter)(const Context&, const Image&, const Options&, Image&),
                const Plan& plan) {
  MedianFacts facts;
  std::mutex guard;
  view_detail::run_on_views(
      context, what, {&image, 1}, out, view_detail::Keeps::ToRows,
      [&](const Context& own, std::span<const Image* const> images, Image& result) {
        MedianFacts done = filter(own, *images[0], options, result);
        const std::lock_guard lock(guard);
        facts = std::move(done);
      },
      [&] { return reach_of(plan(image.type, image.shape, options)); });
  return facts;
}

}  // namespace

MedianFacts median(const Context& context, const ConstImageView& image, const ImageView& out,
                   const MedianOptions& options) {
  return run(context, "median", image, out, options, median, [](auto&&... of) { return plan_median(of...); });
}

MedianFacts smooth(const Context& context, const ConstImageView& image, const ImageView& out,
                   const SmoothOptions& options) {
  return run(context, "smooth", image, out, options, smooth, plan_smooth);
}

MedianFacts remove_outliers(const Context& context, const ConstImageView& image, const ImageView& out,
                            const OutlierOptions& options) {
  return run(context, "remove_outliers", image, out, options, remove_outliers, plan_outliers);
}

}  // namespace tamis
