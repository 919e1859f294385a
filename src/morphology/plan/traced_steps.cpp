#include "morphology/plan/steps.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "core/operation/filter_image.hpp"
#include "line/traced/cpu/run.hpp"
#include "morphology/run.hpp"

namespace tamis::morphology_detail {
namespace {

/// NaN counts as the neutral value of the first step.
Image without_nan(const Context& context, const Image& image, Order first) {
  const float neutral = std::numeric_limits<float>::infinity() * (first == Order::Min ? 1.0F : -1.0F);
  Image clean = image_between(context, image);
  parallel_for(context, image.shape().z * image.shape().y, [&](std::int64_t row) {
    const std::int64_t z = row / image.shape().y;
    const std::int64_t y = row % image.shape().y;
    const auto* const from = image.row<float>(z, y);
    auto* const to = clean.row<float>(z, y);
    for (std::int64_t x = 0; x < image.shape().x; ++x) to[x] = std::isnan(from[x]) ? neutral : from[x];
  });
  return clean;
}

}  // namespace

bool run_traced(const Context& context, const Plan& plan, const Image& in, Combine combine, const Image& image,
                Image& out, Stage& stage) {
  const bool nan = in.type() == Type::F32 && !first_nan(in).empty();
  const std::vector<TracedMove> moves = traced_moves(plan);
  Image now;
  if (nan) now = without_nan(context, in, plan.steps.front().order);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const bool into_output = i + 1 == moves.size() && combine == Combine::Result;
    Image result;
    if (!into_output) result = image_between(context, in);
    Image& to = into_output ? out : result;
    line_detail::cpu::traced(context, moves[i].what, moves[i].segment, now.empty() ? in : now, to, stage);
    if (!into_output) now = std::move(result);
  }
  if (combine != Combine::Result) combine_images(context, combine, now, image, out);
  return nan;
}

}  // namespace tamis::morphology_detail
