// Thresholds of arrays on a GPU: what is chosen on the host, and when it has to wait for that.
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/gpu/array.hpp>

#include "core/door.hpp"
#include "core/gpu/array/call.hpp"
#include "core/gpu/filter.hpp"
#include "core/visit_type.hpp"
#include "threshold/binarise.hpp"
#include "threshold/bins.hpp"
#include "threshold/gpu/array_samples.hpp"
#include "threshold/gpu/kernels.hpp"
#include "threshold/pack_job.hpp"

namespace tamis {
namespace {

using cuda::ArrayCall;
using threshold_detail::gpu::ArraySamples;
using threshold_detail::gpu::BrightSamples;

bool is_floating(Type type) { return type == Type::F32 || type == Type::F64; }

Histogram histogram_of(ArraySamples& samples) {
  return visit_type(samples.type(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) <= 2) return threshold_detail::histogram_of_patterns<T>(samples.patterns());
    return threshold_detail::histogram_of(samples);
  });
}

double value_of(ArraySamples& samples, ThresholdMethod method) {
  if (sample_bytes(samples.type()) > 2) return threshold_detail::value_of(samples, method);
  return threshold_value(histogram_of(samples), method);
}

/// What is bright, and the number that says so.
struct Choice {
  BrightSamples bright;
  double threshold = 0;
};

Choice between(Type type, double above, double up_to) {
  Choice choice;
  choice.threshold = above;
  visit_type(type, [&](auto zero) {
    const auto range = threshold_detail::bounds<decltype(zero)>(above, up_to);
    choice.bright.low = threshold_detail::sample_bits(range.low);
    choice.bright.high = threshold_detail::sample_bits(range.high);
  });
  return choice;
}

/// Samples of two values: the smallest and the largest, if there are no others.
template <class T>
std::array<T, 2> two_values(ArraySamples& samples) {
  std::array<T, 2> values = {};
  bool others = false;
  if constexpr (sizeof(T) <= 2) {
    const Histogram histogram = threshold_detail::histogram_of_patterns<T>(samples.patterns());
    values = {static_cast<T>(histogram.minimum), static_cast<T>(histogram.maximum)};
    others = histogram.counts.front() + histogram.counts.back() < histogram.samples;
  } else {
    const threshold_detail::KeyRange range = samples.keys();
    values = {threshold_detail::sample_of_key<T>(range.low), threshold_detail::sample_of_key<T>(range.high)};
    others = samples.has_others(threshold_detail::sample_bits(values[0]), threshold_detail::sample_bits(values[1]));
  }
  if (values[0] == values[1]) {
    throw InputError(fmt::format(
        "the array has only one value ({}): nothing to separate; wanted two values, or a threshold", values[0]));
  }
  if (!others) return values;
  throw InputError(fmt::format("the array has more than two values (from {} to {}); wanted a threshold or a method: {}",
                               values[0], values[1], threshold_method_names()));
}

Choice choose(const cuda::Stream& stream, const GpuArray& image, const ThresholdOptions& options,
              const GpuArray& domain) {
  constexpr double no_end = std::numeric_limits<double>::infinity();
  if (options.method == ThresholdMethod::Value) return between(image.type, options.value, no_end);
  if (options.method == ThresholdMethod::Band) return between(image.type, options.low, options.high);
  ArraySamples samples(stream, image, domain);
  if (options.method != ThresholdMethod::TwoValues) {
    return between(image.type, value_of(samples, options.method), no_end);
  }
  return visit_type(image.type, [&](auto zero) {
    const auto values = two_values<decltype(zero)>(samples);
    Choice choice;
    choice.threshold = static_cast<double>(values[0]);
    choice.bright.low = choice.bright.high = threshold_detail::sample_bits(values[1]);
    return choice;
  });
}

/// What is to be known of the samples that count.
template <class Question>
auto ask(const Context& context, const GpuArray& image, const GpuArray& domain, std::string_view what,
         const Question& question) {
  return door::enter(context, what, [&] {
    const ArrayCall call(context, image.gpu);
    cuda::require_array(image, "image");
    cuda::require_domain(image, domain);
    ArraySamples samples(call.stream(), image, domain);
    return question(samples);
  });
}

}  // namespace

double binarise(const Context& context, const GpuArray& image, const GpuOutput& object, const ThresholdOptions& options,
                const GpuArray& domain) {
  threshold_detail::require_options(options);
  return door::enter(context, "threshold", [&] {
    const ArrayCall call(context, image.gpu);
    cuda::require_array(image, "image");
    cuda::require_same_place(image, cuda::as_input(object), "output", false);
    cuda::require_output(object, "output");
    cuda::require_domain(image, domain);
    if (object.type != Type::Bool) {
      throw InputError("output of " + std::string(name(object.type)) + "; wanted bool");
    }
    const cuda::Stream& stream = call.stream();
    Choice choice = choose(stream, image, options, domain);
    choice.bright.dark = options.phase == Phase::Dark;
    if (is_floating(image.type)) {
      const cuda::NanSearch nan(stream);
      threshold_detail::gpu::binarise_array(stream, image, domain, choice.bright, object, nan.flag());
      if (nan.found()) throw InputError("the array holds NaN; wanted numbers");
    } else {
      threshold_detail::gpu::binarise_array(stream, image, domain, choice.bright, object, nullptr);
    }
    call.finish();
    return choice.threshold;
  });
}

Histogram histogram(const Context& context, const GpuArray& image, const GpuArray& domain) {
  return ask(context, image, domain, "histogram", [](ArraySamples& samples) { return histogram_of(samples); });
}

double threshold_value(const Context& context, const GpuArray& image, ThresholdMethod method, const GpuArray& domain) {
  return ask(context, image, domain, "threshold", [&](ArraySamples& samples) { return value_of(samples, method); });
}

}  // namespace tamis
