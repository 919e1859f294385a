#include "median/plan/steps.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/operations.hpp>

#include "core/border.hpp"
#include "core/door.hpp"
#include "core/operation/filter_image.hpp"

namespace tamis::median_detail {
namespace {

void validate(const MedianPlan& plan, const Border& border) {
  require_filter_type(plan.type, plan.what);
  door::require_shape(plan.type, plan.shape, plan.what);
  door::require_known(plan.nan, NanPolicy::Ignore, "nan");
  if (border.kind == Border::Kind::Fit) {
    throw InputError(
        fmt::format("{}: border fit; wanted reflect, mirror, nearest, wrap, constant:V or shrink", plan.what));
  }
  require_value_of(border, plan.type);
  require_in(iteration_counts, static_cast<double>(plan.iterations), fmt::format("{}: iterations", plan.what));
}

RankStep step_of(OffsetSet window, double percentile, const Border& border) {
  RankStep step;
  step.count = window.count();
  step.rank = rank_of(percentile, step.count);
  step.window = std::move(window);
  step.percentile = percentile;
  step.border = border;
  return step;
}

/// Engines count samples in 32 bits.
void require_countable(const OffsetSet& window, std::string_view what) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (window.count() <= most) return;
  throw InputError(fmt::format("{}: a window of {} samples; wanted at most {}", what, window.count(), most));
}

/// How far a window that lies beyond the image from everywhere is moved back along an axis of n samples.
std::int64_t way_back(std::int64_t low, std::int64_t high, std::int64_t n, Border::Kind border) {
  if (low <= n && high >= -n) return 0;
  const std::int64_t period = period_of(border, n);
  if (period > 0) return -(low > n ? low : high) / period * period;
  return low > n ? n - low : -n - high;  // one sample outside is like the other
}

/// The window nearer to the image, where it sees the same: engines keep in memory what lies between. Where windows
/// shrink all that sees nothing from anywhere counts nowhere, and is cut off.
OffsetSet brought_near(OffsetSet window, const Shape& shape, Border::Kind border) {
  if (border == Border::Kind::Neutral) return fitted(std::move(window), shape, border);
  const auto& [low, high] = window.box();
  const Offset by{way_back(low.z, high.z, shape.z, border), way_back(low.y, high.y, shape.y, border),
                  way_back(low.x, high.x, shape.x, border)};
  return by == Offset{} ? window : window.shifted(by);
}

/// A box on an image with axes of one sample. Borders repeat it without end: every offset along such an axis sees the
/// same, m times in all, so one of them is enough where the rank among m times as many samples is the same value's.
/// Windows that shrink see it once.
OffsetSet without_repeats(OffsetSet window, const Shape& shape, double percentile, Border::Kind border) {
  constexpr std::int64_t most_checked = 1 << 12;
  if (border == Border::Kind::Constant || !window.is_box()) return window;
  const bool shrinks = border == Border::Kind::Neutral;
  if (shrinks && !window.contains({})) return window;
  OffsetBox one = window.box();
  if (shape.z == 1) one.low.z = one.high.z = 0;
  if (shape.y == 1) one.low.y = one.high.y = 0;
  if (shape.x == 1) one.low.x = one.high.x = 0;
  const std::int64_t count = one.count(), times = window.count() / count;
  if (times == 1 || (count > most_checked && !shrinks)) return window;
  for (std::int64_t n = 1; n <= count && !shrinks; ++n) {  // NaN may leave any number of them
    if (rank_of(percentile, times * n) / times != rank_of(percentile, n)) return window;
  }
  return OffsetSet(one);
}

/// Refuses windows that are larger than the image along every axis by far. Engines work on the image with all that the
/// window sees around it: n + reach samples along an axis. A window of the image's own size makes that 2n - 1; one that
/// makes it many times as many samples sees nothing new for all that work.
void require_affordable(const OffsetSet& window, const Shape& shape, const Border& border, std::string_view what) {
  constexpr double most_times = 8, soon_done = 1 << 18;
  if (border.kind == Border::Kind::Neutral) return;
  const Offset reach = window.box().high - window.box().low;
  double times = 1, samples = 1;
  for (const auto& [n, more] :
       {std::pair{shape.z, reach.z}, std::pair{shape.y, reach.y}, std::pair{shape.x, reach.x}}) {
    if (more < n - 1) return;
    times *= static_cast<double>(n + more) / static_cast<double>(2 * n - 1);
    samples *= static_cast<double>(n + more);
  }
  if (times <= most_times || samples <= soon_done) return;
  throw InputError(
      fmt::format("{}: a window of {}x{}x{} samples on an image of {}, border {}; wanted one up to about {:.1f} "
                  "times as long as the image, or border shrink",
                  what, reach.x + 1, reach.y + 1, reach.z + 1, to_string(shape), to_string(border),
                  2 * std::pow(most_times, 1.0 / shape.rank) - 1));
}

/// A least or greatest value does not depend on how often a sample is seen, so such a step's window is cut down to the
/// image; other ranks do.
RankStep step_on(const Shape& shape, OffsetSet window, double percentile, const Border& border, std::string_view what) {
  RankStep step = step_of(std::move(window), percentile, border);
  const bool least = step.rank == 0, greatest = step.rank == step.count - 1;
  if (least || greatest) return step_of(fitted(std::move(step.window), shape, border.kind), least ? 0 : 100, border);
  require_affordable(step.window, shape, border, what);
  return step;
}

bool changes_nothing(const OffsetSet& window) { return window == OffsetSet{}; }

}  // namespace

std::int64_t rank_of(double percentile, std::int64_t n) {
  const auto index = static_cast<std::int64_t>(std::floor(static_cast<double>(n) * percentile / 100));
  return std::min(n - 1, index);
}

Offset reach_of(const MedianPlan& plan) {
  Offset once;
  for (const RankStep& step : plan.steps) once = once + tamis::reach_of(step.window.box());
  const auto times = [&](std::int64_t reach) {
    std::int64_t all = 0;
    return __builtin_mul_overflow(plan.iterations, reach, &all) ? whole_axis : all;
  };
  const Offset reach{times(once.z), times(once.y), times(once.x)};
  return plan.steps.empty() ? reach : reach_under(plan.steps.front().border, reach);
}

std::int64_t bytes_laid_out(const MedianPlan& plan) {
  std::int64_t most = 0;
  for (const RankStep& step : plan.steps) {
    if (is_laid_out(step.border))
      most = std::max(most, tamis::bytes_laid_out(plan.type, plan.shape, step.window.box()));
  }
  return most;
}

MedianPlan plan_median(Type type, const Shape& shape, const MedianOptions& options, const std::stop_token& cancel) {
  MedianPlan plan{"median", type, shape, {}, options.iterations, options.nan};
  validate(plan, options.border);
  require_in(percentiles, options.percentile, "median: percentile");
  OffsetSet window = options.window.sum(shape.rank, {.cancel = cancel});
  require_countable(window, plan.what);
  window = drawn_near(brought_near(std::move(window), shape, options.border.kind), shape, options.border.kind);
  window = without_repeats(std::move(window), shape, options.percentile, options.border.kind);
  if (changes_nothing(window)) return plan;
  plan.steps.push_back(step_on(shape, std::move(window), options.percentile, options.border, plan.what));
  return plan;
}

MedianPlan plan_smooth(Type type, const Shape& shape, const SmoothOptions& options) {
  MedianPlan plan{"smooth", type, shape, {}, options.iterations, options.nan};
  validate(plan, options.border);
  if (options.width < 1 || options.height < 1 || options.depth < 1) {
    throw InputError(fmt::format("smooth: window {} wide, {} high, {} deep; wanted at least 1 each", options.width,
                                 options.height, options.depth));
  }
  if (options.depth > 1 && shape.rank != 3) {
    throw InputError(fmt::format("smooth: depth {} on an image; wanted a volume", options.depth));
  }
  constexpr double middle = 50;
  for (const auto& [width, height, depth] : {std::array{std::int64_t{1}, options.height, std::int64_t{1}},
                                             std::array{options.width, std::int64_t{1}, std::int64_t{1}},
                                             std::array{std::int64_t{1}, std::int64_t{1}, options.depth}}) {
    OffsetSet window = brought_near(StructuringElement::box(width, height, depth).sum(3), shape, options.border.kind);
    window = without_repeats(std::move(window), shape, middle, options.border.kind);
    if (!changes_nothing(window)) plan.steps.push_back(step_of(std::move(window), middle, options.border));
  }
  return plan;
}

}  // namespace tamis::median_detail

namespace tamis {

StructuringElement window_of_size(std::string_view size, int rank) {
  std::array<std::int64_t, 3> edges{1, 1, 1};
  std::size_t count = 0;
  const char* at = size.data();
  const char* const end = at + size.size();
  bool good = !size.empty();
  while (good && at != end) {
    const auto [next, error] = count < edges.size() ? std::from_chars(at, end, edges[count])
                                                    : std::from_chars_result{at, std::errc::invalid_argument};
    good = error == std::errc{} && edges[count] >= 1 && edges[count] <= (std::int64_t{1} << 31);
    ++count;
    at = next;
    if (good && at != end) good = *at == 'x' && ++at != end;
  }
  if (!good) throw InputError(fmt::format("size \"{}\"; wanted N, WxH or WxHxD, whole numbers from 1", size));
  if (count == 1 && rank == 3) return StructuringElement::cube(edges[0]);
  if (count == 1) return StructuringElement::square(edges[0]);
  if (count == 2) return StructuringElement::rect(edges[0], edges[1]);
  if (rank != 3) throw InputError(fmt::format("size {} on an image; wanted N or WxH", size));
  return StructuringElement::box(edges[0], edges[1], edges[2]);
}

}  // namespace tamis
