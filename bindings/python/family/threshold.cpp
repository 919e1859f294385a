// tamis.threshold and tamis.threshold_value.
#include <tamis/threshold.hpp>

#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

#include <tamis/operations/arguments.hpp>

#include "python/array/array.hpp"
#include "python/array/result/binary.hpp"
#include "python/array/result/output.hpp"
#include "python/family/families.hpp"
#include "python/family/filter/gpu_operations.hpp"
#include "python/operation.hpp"
#include "python/parameter.hpp"

namespace tamis::python {
namespace {

/// One argument for what the program has three options for: granulometry has it too.
ThresholdOptions options_of(const Given& given) {
  Arguments arguments = operation("granulometry").defaults;
  const Parameter& threshold = parameter_of(operation("granulometry"), "threshold");
  if (!given.has("threshold")) {
    arguments.set(threshold.name, "otsu");
  } else if (!given["threshold"].is_none()) {
    give(arguments, threshold, given["threshold"]);
  }
  ThresholdOptions options = arguments.as<GranulometryArguments>().threshold_options();
  options.phase = given.arguments().as<ThresholdArguments>().phase;
  return options;
}

nb::object threshold_array(Call& call, const Given& given) {
  const ThresholdOptions options = options_of(given);
  const nb::handle image = given["image"];
  if (lives_on_gpu(image)) return gpu_threshold(call, image, options, given["roi"], given["crop"], given["out"]).value;
  Input input = take_input(image, given["roi"], given["crop"], call.context().memory_bytes);
  const Output output(Type::Bool, input.layout().shape, given["out"]);
  write_binary_of(call, input, options, output);
  return output.result(image, input.layout().spacing).value;
}

nb::object value_of_array(Call& call, const Given& given) {
  const Arguments arguments = given.arguments();
  const ThresholdMethod method = *threshold_method(arguments.text("method"));
  const nb::handle image = given["image"];
  if (lives_on_gpu(image)) {
    return nb::float_(gpu_threshold_value(call, image, method, given["roi"], given["crop"]));
  }
  Input input = take_input(image, given["roi"], given["crop"], call.context().memory_bytes);
  return nb::float_(call.run([&](const Context& context) {
    return threshold_value(context, *input.source, method, input.region);
  }));
}

/// The lowest value of an array of whole numbers of up to 16 bits, and how often it and each that follows occurs.
nb::tuple counts_of(nb::handle image, int threads) {
  Input input = take_input(image, nb::none(), nb::none(), 0);
  Context context = Context::best();
  context.threads = threads;
  const Histogram found = [&] {
    const nb::gil_scoped_release released;
    return histogram(context, *input.source, input.region);
  }();
  return nb::make_tuple(static_cast<std::int64_t>(found.minimum),
                        numpy_array(found.counts.data(), found.counts.size()).value);
}

/// What is above a value, or what is not ("dark"), of a part of a larger array, as packed bits.
nb::object threshold_bits(nb::handle image, double value, const std::string& phase, int threads) {
  Input input = take_input(image, nb::none(), nb::none(), 0);
  ThresholdOptions options;
  options.method = ThresholdMethod::Value;
  options.value = value;
  options.phase = phase == "dark" ? Phase::Dark : Phase::Bright;
  Context context = Context::best();
  context.threads = threads;
  const Binary binary = [&] {
    const nb::gil_scoped_release released;
    return binarise(context, *input.source, options);
  }();
  return packed_of_image(binary.object);
}

}  // namespace

void add_threshold(nb::module_& module) {
  module.def("_counts_of", counts_of);
  module.def("_threshold_bits", threshold_bits, nb::arg("image"), nb::arg("value"), nb::arg("phase"),
             nb::arg("threads"));
  Keyword threshold = keyword_of(operation("granulometry"), "threshold");
  threshold.type += " | None";
  threshold.initial = "'otsu'";
  threshold.text += " None: the larger of the image's two values.";
  add_operation(module, operation("threshold"),
                {"image threshold * phase roi crop out",
                 {threshold},
                 "numpy.typing.NDArray[numpy.bool_]",
                 "array of bool, shape of the image",
                 {},
                 "grey values to True and False"},
                threshold_array);
  add_operation(module, operation("threshold_value"), {"image method * roi crop", {}, "float", "float"},
                value_of_array);
}

}  // namespace tamis::python
