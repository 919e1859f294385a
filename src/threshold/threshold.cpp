#include <tamis/threshold.hpp>

#include <array>

#include "core/door.hpp"
#include "threshold/binarise.hpp"
#include "threshold/device.hpp"
#include "threshold/histogram.hpp"

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

/// What a function says of the samples in a region, on the device that the context asks for.
template <class Function, class... More>
auto with_samples(const Context& context, SliceSource& source, const Region& region, Function function, More... more) {
  return door::compute(context, "threshold", [&] {
    const Layout& layout = source.layout();
    threshold_detail::require_one_channel(layout);
    const threshold_detail::Domain domain = threshold_detail::domain_of(context, layout, region);
    const auto device =
        threshold_detail::device_samples(context, layout, domain, threshold_detail::passes_of_histogram(layout.type));
    return function(context, source, domain, device.get(), more...);
  });
}

}  // namespace

std::string_view name(ThresholdMethod method) {
  door::require_known(method, ThresholdMethod::Mean, "method");
  return methods[static_cast<std::size_t>(method)].name;
}

std::optional<ThresholdMethod> threshold_method(std::string_view word) {
  for (const MethodRow& row : methods) {
    if (threshold_detail::is_automatic(row.method) && word == row.name) return row.method;
  }
  return std::nullopt;
}

std::string threshold_method_names() {
  std::string names;
  for (const MethodRow& row : methods) {
    if (threshold_detail::is_automatic(row.method)) names.append(names.empty() ? "" : ", ").append(row.name);
  }
  return names;
}

Histogram histogram(const Context& context, SliceSource& source, const Region& region) {
  return with_samples(context, source, region, threshold_detail::histogram_inside);
}

double threshold_value(const Context& context, SliceSource& source, ThresholdMethod method, const Region& region) {
  return with_samples(context, source, region, threshold_detail::value_inside, method);
}

Binary binarise(const Context& context, SliceSource& source, const ThresholdOptions& options, const Region& region) {
  require_device(context);
  return door::enter(context, "threshold",
                     [&] { return threshold_detail::binarise_to(context, source, options, region, nullptr); });
}

Binary binarise(const Context& context, SliceSource& source, const ThresholdOptions& options, const Region& region,
                const ImageRows& bytes) {
  require_device(context);
  door::require_pointer(bytes.data, "memory for bytes");
  return door::enter(context, "threshold",
                     [&] { return threshold_detail::binarise_to(context, source, options, region, nullptr, &bytes); });
}

}  // namespace tamis
