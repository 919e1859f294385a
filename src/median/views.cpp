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

template <class View>
View transposed(View view) {
  view.shape = tamis::transposed(view.shape);
  std::swap(view.stride_x, view.stride_y);
  return view;
}

/// Medians that are nothing but their plan. Bits are packed along rows: of a narrow image along its columns, so that a
/// row of few is no word.
template <class Plan>
MedianFacts run_plan(const Context& context, const char* what, const ConstImageView& image, const ImageView& out,
                     const Plan& plan) {
  require_view(image, what);
  if (image.type == Type::Bool && context.device != Device::Cuda) {
    view_detail::require_output(out, image.type, image.shape, what);
    if (turns(context, plan(image.type, image.shape))) {
      const auto turned = [&](Type type, const Shape& shape) {
        return transposed(plan(type, tamis::transposed(shape)));
      };
      return run_on_views(context, what, transposed(image), transposed(out), turned,
                          [&](const Context& own, const Image& in, Image& result) {
                            return run(
                                own, what, [&] { return turned(in.type(), in.shape()); }, in, result);
                          });
    }
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
