// Medians of images in memory of the caller.
#include <tamis/image/view.hpp>

#include <mutex>
#include <utility>

#include "core/cpu/transposed.hpp"
#include "core/view/view.hpp"
#include "median/plan/steps.hpp"
#include "median/run.hpp"

namespace tamis {
namespace {

using namespace median_detail;

using Images = std::span<const Image* const>;

/// run(context, images, result) is a filter, and plan(type, shape) is what it does.
template <class Plan, class Run>
MedianFacts run_on_views(const Context& context, const char* what, const ConstImageView& image, const ImageView& out,
                         const Plan& plan, const Run& run) {
  MedianFacts facts;
  std::mutex guard;
  view_detail::run_on_views(
      context, what, {&image, 1}, out, view_detail::Keeps::ToRows,
      [&](const Context& own, Images images, Image& result) {
        MedianFacts done = run(own, *images[0], result);
        const std::lock_guard lock(guard);
        facts = std::move(done);
      },
      [&] { return reach_of(plan(image.type, image.shape)); });
  return facts;
}

/// Medians that are nothing but their plan. Bits of narrow images stay bytes: packing rows of few bits takes longer
/// than all else.
template <class Plan>
MedianFacts run_plan(const Context& context, const char* what, ConstImageView image, ImageView out, const Plan& plan) {
  require_view(image, what);
  if (image.type == Type::Bool && better_transposed({}, Type::Bool, image.shape) &&
      keeps_to_bits(plan(image.type, image.shape)) && view_detail::may_go_as_bytes(context, image, out)) {
    image.type = out.type = Type::U8;
  }
  return run_on_views(context, what, image, out, plan, [&](const Context& own, const Image& in, Image& result) {
    return run(
        own, what, [&] { return plan(in.type(), in.shape()); }, in, result);
  });
}

}  // namespace

MedianFacts median(const Context& context, const ConstImageView& image, const ImageView& out,
                   const MedianOptions& options) {
  return run_plan(context, "median", image, out,
                  [&](Type type, const Shape& shape) { return plan_median(type, shape, options, context.cancel); });
}

MedianFacts smooth(const Context& context, const ConstImageView& image, const ImageView& out,
                   const SmoothOptions& options) {
  return run_plan(context, "smooth", image, out,
                  [&](Type type, const Shape& shape) { return plan_smooth(type, shape, options); });
}

MedianFacts remove_outliers(const Context& context, const ConstImageView& image, const ImageView& out,
                            const OutlierOptions& options) {
  return run_on_views(
      context, "remove_outliers", image, out,
      [&](Type type, const Shape& shape) { return plan_outliers(type, shape, options); },
      [&](const Context& own, const Image& in, Image& result) { return remove_outliers(own, in, options, result); });
}

}  // namespace tamis
