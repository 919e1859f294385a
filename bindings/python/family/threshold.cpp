// tamis.threshold and tamis.threshold_value.
#include <tamis/threshold.hpp>

#include <tamis/arguments.hpp>
#include <tamis/error.hpp>

#include "python/array/array.hpp"
#include "python/array/binary.hpp"
#include "python/array/output.hpp"
#include "python/array/strided.hpp"
#include "python/family/families.hpp"
#include "python/family/gpu_operations.hpp"
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
  const Binary binary = binary_of(call, input, options);
  call.run([&](const Context& context) { unpack(context, binary.object, output.samples()); });
  return output.result(image).value;
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
    return threshold_value(histogram(context, *input.source, input.region), method);
  }));
}

}  // namespace

void add_threshold(nb::module_& module) {
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
