// Outliers become the median of their window.
#include <tamis/median.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

#include "core/cpu/parallel.hpp"
#include "core/door.hpp"
#include "core/image_over.hpp"
#include "core/stage.hpp"
#include "core/visit_type.hpp"
#include "median/plan/steps.hpp"

namespace tamis {
namespace {

constexpr const char* what = "remove_outliers";

/// By how much a sample is above, or below, its median before it is an outlier. Of integers whole, so that 32 bits do.
template <class T>
struct Limits {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int32_t>;
  Wide above, below;

  explicit Limits(const OutlierOptions& options) {
    Wide limit;
    Wide none;  // what no difference is larger than
    if constexpr (std::is_floating_point_v<T>) {
      none = std::numeric_limits<double>::infinity();
      limit = options.threshold;
    } else {
      none = std::numeric_limits<std::int32_t>::max();
      limit = static_cast<Wide>(std::floor(std::min(options.threshold, static_cast<double>(none))));
    }
    above = options.which == OutlierOptions::Which::Dark ? none : limit;
    below = options.which == OutlierOptions::Which::Bright ? none : limit;
  }
  /// NaN is far from nothing.
  [[nodiscard]] bool hold(T sample, T median) const {
    const Wide difference = static_cast<Wide>(sample) - static_cast<Wide>(median);
    return !(difference > above || -difference > below);
  }
};

template <class T>
void put_back(const OutlierOptions& options, std::int64_t columns, const T* samples, T* medians) {
  const Limits<T> limits(options);
  for (std::int64_t x = 0; x < columns; ++x) medians[x] = limits.hold(samples[x], medians[x]) ? samples[x] : medians[x];
}

/// Of bits, which differ by 1 or not at all.
void put_back_bits(const OutlierOptions& options, std::int64_t words, const std::uint64_t* samples,
                   std::uint64_t* medians) {
  const bool any = options.threshold < 1;
  const std::uint64_t bright = any && options.which != OutlierOptions::Which::Dark ? ~std::uint64_t{0} : 0;
  const std::uint64_t dark = any && options.which != OutlierOptions::Which::Bright ? ~std::uint64_t{0} : 0;
  for (std::int64_t i = 0; i < words; ++i) {
    const std::uint64_t outliers = (bright & samples[i] & ~medians[i]) | (dark & ~samples[i] & medians[i]);
    medians[i] = (samples[i] & ~outliers) | (medians[i] & outliers);
  }
}

void put_back_row(const OutlierOptions& options, const Image& image, Image& medians, std::int64_t z, std::int64_t y,
                  std::int64_t columns) {
  const auto as = [&](auto sample) {
    using T = decltype(sample);
    put_back<T>(options, columns, image.row<T>(z, y), medians.row<T>(z, y));
  };
  if (image.type() != Type::Bool) return visit_filter_type(image.type(), as);
  put_back_bits(options, (columns + 63) / 64, image.row<std::uint64_t>(z, y), medians.row<std::uint64_t>(z, y));
}

}  // namespace

MedianFacts remove_outliers(const Context& context, const Image& image, const OutlierOptions& options, Image& out) {
  require_in({0, {}}, options.threshold, "remove_outliers: threshold");
  door::require_known(options.which, OutlierOptions::Which::Both, "which");
  return door::enter(context, what, [&] {
    MedianFacts facts = median(context, image, median_detail::median_of(options), out);
    constexpr std::int64_t worth_a_thread = std::int64_t{1} << 17;  // bytes
    const Shape& shape = image.shape();
    const std::int64_t rows = shape.z * shape.y;
    const std::int64_t at_once = std::clamp<std::int64_t>(worth_a_thread / image.row_bytes(), 1, rows);
    const bool flat = image.type() != Type::Bool && has_no_gaps(image) && has_no_gaps(out);
    Stage stage(context, what, rows);
    parallel_for(context, (rows + at_once - 1) / at_once, [&](std::int64_t part) {
      const std::int64_t end = std::min(rows, (part + 1) * at_once);
      // Without gaps all rows are one.
      const std::int64_t rows_in_one = flat ? end - part * at_once : 1;
      for (std::int64_t i = part * at_once; i < end; i += rows_in_one) {
        put_back_row(options, image, out, i / shape.y, i % shape.y, rows_in_one * shape.x);
      }
      stage.advance(end - part * at_once);
    });
    return facts;
  });
}

Image remove_outliers(const Context& context, const Image& image, const OutlierOptions& options) {
  Image out;
  remove_outliers(context, image, options, out);
  return out;
}

}  // namespace tamis
