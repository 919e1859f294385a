// What is decided before any sample is touched: which windows one after the other, and which rank in each. The same for
// every backend.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include <tamis/median.hpp>
#include <tamis/operations/parse.hpp>

namespace tamis::median_detail {

inline constexpr NumberRange percentiles{0, 100};

/// Index of the percentile in n sorted values, n at least 1.
[[nodiscard]] std::int64_t rank_of(double percentile, std::int64_t n);

/// One step from image to image. The result at p is the value of rank_of(percentile, n) among the n samples at p + b,
/// b in the window; the border applies to the step's input.
struct RankStep {
  OffsetSet window;
  double percentile = 50;
  std::int64_t count = 1;  ///< offsets of the window
  std::int64_t rank = 0;   ///< index among all of them
  Border border;
  std::stop_token cancel{};  ///< of the call: engines look now and then, for how long a band takes is only an estimate

  /// In loops over very many samples, at sample `i`: looks now and then.
  void stop_if_cancelled(std::int64_t i = 0) const {
    if (i % (1 << 20) == 0 && cancel.stop_requested()) throw Cancelled();
  }
  /// Whether n may differ from sample to sample even without NaN. A window that is the origin alone makes no step.
  [[nodiscard]] bool shrinks() const { return border.kind == Border::Kind::Neutral; }
};

struct MedianPlan {
  std::string_view what;  ///< "median", "smooth"
  Type type = Type::U8;
  Shape shape;
  std::vector<RankStep> steps;  ///< of one iteration; none: the result is the input
  std::int64_t iterations = 1;
  NanPolicy nan = NanPolicy::Refuse;
};

/// How far the samples lie that a result depends on, as FilterCalls::reach.
[[nodiscard]] Offset reach_of(const MedianPlan& plan);

/// Bytes that a step takes to write out its border; 0 where engines know it.
[[nodiscard]] std::int64_t bytes_laid_out(const MedianPlan& plan);

/// Validate, and plan. Throw InputError, and Cancelled where a stop is requested while elements are added up.
[[nodiscard]] MedianPlan plan_median(Type type, const Shape& shape, const MedianOptions& options,
                                     const std::stop_token& cancel = {});
[[nodiscard]] MedianPlan plan_smooth(Type type, const Shape& shape, const SmoothOptions& options);
/// The median that outliers are told by.
[[nodiscard]] inline MedianOptions median_of(const OutlierOptions& options) {
  return {options.window, 50, 1, options.border, options.nan};
}
[[nodiscard]] inline MedianPlan plan_outliers(Type type, const Shape& shape, const OutlierOptions& options) {
  return plan_median(type, shape, median_of(options));
}

}  // namespace tamis::median_detail
