#include <tamis/threshold.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "threshold/threshold_binarise.hpp"
#include "threshold/threshold_histogram.hpp"

namespace tamis {
namespace {

struct MethodRow {
  ThresholdMethod method;
  std::string_view name;
};

constexpr std::array<MethodRow, 10> methods{{{ThresholdMethod::Value, "value"},
                                             {ThresholdMethod::Band, "band"},
                                             {ThresholdMethod::TwoValues, "two values"},
                                             {ThresholdMethod::Otsu, "otsu"},
                                             {ThresholdMethod::Li, "li"},
                                             {ThresholdMethod::Kapur, "kapur"},
                                             {ThresholdMethod::Minimum, "minimum"},
                                             {ThresholdMethod::Triangle, "triangle"},
                                             {ThresholdMethod::Isodata, "isodata"},
                                             {ThresholdMethod::Mean, "mean"}}};

bool automatic(ThresholdMethod method) { return method >= ThresholdMethod::Otsu; }

void require_one_channel(const Layout& layout) {
  if (layout.channels == 1) return;
  throw InputError(fmt::format("the image has {0} channels; wanted one: --channel 0 .. {1}, or --channel luma",
                               layout.channels, layout.channels - 1));
}

void validate(const ThresholdOptions& options) {
  if (options.method == ThresholdMethod::Value && !std::isfinite(options.value)) {
    throw InputError(fmt::format("threshold {}: wanted a finite number", options.value));
  }
  if (options.method != ThresholdMethod::Band) return;
  if (!std::isfinite(options.low) || !std::isfinite(options.high) || options.low >= options.high) {
    throw InputError(fmt::format("threshold band {}:{}: wanted LO:HI, finite, LO below HI", options.low, options.high));
  }
}

}  // namespace

std::string_view name(ThresholdMethod method) { return methods[static_cast<std::size_t>(method)].name; }

std::optional<ThresholdMethod> threshold_method(std::string_view word) {
  for (const MethodRow& row : methods) {
    if (automatic(row.method) && word == row.name) return row.method;
  }
  return std::nullopt;
}

std::string threshold_method_names() {
  std::string names;
  for (const MethodRow& row : methods) {
    if (automatic(row.method)) names.append(names.empty() ? "" : ", ").append(row.name);
  }
  return names;
}

Histogram histogram(const Context& context, SliceSource& source, const Region& region) {
  require_device(context);
  require_one_channel(source.layout());
  return detail::histogram_inside(context, source, detail::domain_of(context, source.layout(), region));
}

Binary binarise(const Context& context, SliceSource& source, const ThresholdOptions& options, const Region& region) {
  require_device(context);
  require_one_channel(source.layout());
  validate(options);
  detail::Domain domain = detail::domain_of(context, source.layout(), region);
  const bool dark = options.phase == Phase::Dark;
  Binary result;
  if (options.method == ThresholdMethod::TwoValues) {
    result = detail::split_two_values(context, source, domain, dark);
  } else if (options.method == ThresholdMethod::Band) {
    result = detail::cut(context, source, domain, options.low, options.high, dark);
    result.high = options.high;
  } else {
    const double value = automatic(options.method)
                             ? threshold_value(detail::histogram_inside(context, source, domain), options.method)
                             : options.value;
    result = detail::cut(context, source, domain, value, std::numeric_limits<double>::infinity(), dark);
  }
  result.method = options.method;
  result.domain_volume = domain.volume;
  result.domain = std::move(domain.bits);
  return result;
}

}  // namespace tamis
