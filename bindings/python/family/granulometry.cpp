// tamis.granulometry, tamis.size_map and tamis.thickness.
#include <tamis/granulometry.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <string>

#include <tamis/error.hpp>

#include "python/array/array.hpp"
#include "python/array/result/binary.hpp"
#include "python/array/result/calibrated.hpp"
#include "python/array/result/output.hpp"
#include "python/array/result/size_map.hpp"
#include "python/family/families.hpp"
#include "python/family/filter/gpu_operations.hpp"
#include "python/family/granulometry.hpp"
#include "python/object/sizes.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

/// The object, its bits on the host or where a GPU has made them, with the options of its granulometry.
struct Prepared {
  Binary binary;
  std::optional<GpuBinary> on_gpu;
  Shape shape;
  Spacing spacing;
  Spacing place;  // of the image, whatever sides of a voxel were given
  GranulometryOptions options;
};

Prepared prepare(Call& call, const ObjectArguments& arguments) {
  Prepared prepared;
  Input input = take_input(arguments.image, arguments.roi, arguments.crop, call.context().memory_bytes);
  const Layout& layout = input.layout();
  const GranulometryArguments parameters = arguments.on(layout.shape.rank);
  const ThresholdOptions threshold = parameters.threshold_options();
  prepared.options = parameters.options();
  const std::optional<Spacing> spacing = arguments.spacing_on(layout.shape.rank);
  prepared.shape = layout.shape;
  prepared.spacing = spacing.value_or(layout.spacing);
  prepared.place = layout.spacing;
  prepared.on_gpu = gpu_binary_of(call, input, threshold);
  if (!prepared.on_gpu) prepared.binary = binary_of(call, input, threshold);
  return prepared;
}

/// An image of grey values has another way to go than the one that the library names.
[[noreturn]] void teach_grey(const InputError& error) {
  const std::string text = error.what();
  const bool grey = text.find("more than two values") != std::string::npos;
  throw InputError(grey ? text + "; or grey=True for sums of grey values" : text);
}

void require_balls(const ObjectArguments& arguments) {
  const auto& asked = arguments.parameters.as<GranulometryArguments>();
  if (asked.sizes.empty() || (!asked.grey && by_balls(arguments))) return;
  throw InputError("sizes=" + arguments.parameters.text("sizes") + ": of balls only; wanted element='ball' or 'disk'");
}

SizesResult sizes_of(Call& call, const ObjectArguments& arguments) {
  require_balls(arguments);
  if (arguments.parameters.as<GranulometryArguments>().grey) return grey_granulometry_of_array(call, arguments);
  if (by_balls(arguments)) return ball_granulometry_of_array(call, arguments);
  const std::optional<double> angle = arguments.line_angle();
  if (lives_on_gpu(arguments.image) && !angle) return gpu_granulometry(call, arguments);
  if (angle) return line_granulometry_of_array(call, arguments);
  Prepared prepared;
  try {
    prepared = prepare(call, arguments);
  } catch (const InputError& error) {
    teach_grey(error);
  }
  const GranulometryOptions& options = prepared.options;
  SizesResult result;
  result.sizes = call.run([&](const Context& context) {
    const Binary& binary = prepared.binary;
    return prepared.on_gpu ? granulometry(context, *prepared.on_gpu, options)
                           : granulometry(context, binary.object, options, binary.domain);
  });
  result.sizes.spacing = prepared.spacing;
  result.element = name(options.element);
  result.border = name(options.border);
  return result;
}

nb::object granulometry_of_array(Call& call, const Given& given) {
  return nb::cast(sizes_of(call, ObjectArguments(given)));
}

nb::object size_map_of_array(Call& call, const Given& given) {
  const ObjectArguments arguments(given);
  const bool widths = given.flag("widths");
  const nb::handle out = given["out"];
  require_balls(arguments);
  if (by_balls(arguments)) {
    const BallMeasure measure = widths ? BallMeasure::Width : BallMeasure::Size;
    return computed_in(ball_map_of_array(call, arguments, measure, out).map.value, given);
  }
  if (lives_on_gpu(arguments.image)) return gpu_size_map(call, arguments, widths, out).value;
  const Prepared prepared = prepare(call, arguments);
  const GranulometryOptions& options = prepared.options;
  SizeMapOutput output(prepared.shape, prepared.spacing, options.element, widths, out);
  const auto start = [&](Type type) { output.start(type); };
  const auto write = [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
    output.write(slices, z0, count);
  };
  call.run([&](const Context& context) {
    const Binary& binary = prepared.binary;
    static_cast<void>(prepared.on_gpu ? size_map(context, *prepared.on_gpu, options, start, write)
                                      : size_map(context, binary.object, options, binary.domain, start, write));
  });
  return computed_in(output.result(arguments.image, prepared.place).value, given);
}

nb::object thickness_of_array(Call& call, const Given& given) {
  const ObjectArguments arguments(given);
  const BallMeasure measure = arguments.parameters.as<GranulometryArguments>().measure;
  const bool figures = given.flag("return_figures");
  const auto [found, balls] = ball_map_of_array(call, arguments, measure, given["out"]);
  const nb::object map = computed_in(found.value, given);
  if (!figures) return map;
  const nb::object told = balls.thickness
                              ? thickness_object(*balls.thickness, balls.shortest_side, unit_of(balls.sizes.spacing))
                              : nb::none();
  return nb::make_tuple(map, told);
}

void add_thickness(nb::module_& module) {
  const Keyword figures{"return_figures", "bool", "False", "bool",
                        "Also the mean, the standard deviation and the maximum over the object, a `Thickness`; None "
                        "where no radius is finite."};
  const Keyword out{"out", any_array, "None", "array", "Where to write, float32, any strides."};
  const std::string map = "numpy.typing.NDArray[numpy.float32]";
  const std::string both = "tuple[" + map + ", tamis._thickness.Thickness | None]";
  add_operation(
      module, operation("thickness"),
      {"image threshold * measure element border phase roi crop spacing unit convention sizes return_figures out",
       {figures, out},
       map + " | " + both,
       "array of float32, shape of the image\n    With `return_figures` a tuple: (map, Thickness).",
       {{{{"return_figures", is_false}}, map}, {{{"return_figures", is_true}}, both}, {{}, map + " | " + both}}},
      thickness_of_array);
}

}  // namespace

void add_granulometry(nb::module_& module) {
  const OperationDescription& granulometry = operation("granulometry");
  const OperationDescription& size_map = operation("size_map");
  const std::string shared =
      "image threshold * element border phase roi crop max_size spacing unit convention sizes ";
  const Keyword widths{"widths", "bool", "False", "bool",
                       "The width of the largest element that holds the voxel, float32, in `unit` or voxels, instead."};
  const Keyword out{
      "out", any_array, "None", "array",
      "Where to write, any strides: of an unsigned type wide enough for the sizes, or float32 with `widths`."};
  add_operation(module, granulometry,
                {shared + "grey", {element_keyword(granulometry), keyword_of(size_map, "phase")}, "Sizes", "Sizes"},
                granulometry_of_array);
  add_operation(module, size_map,
                {shared + "widths out",
                 {element_keyword(size_map), widths, out},
                 any_array,
                 "array, shape of the image\n    Of uint8; uint16 or uint32 where there are more sizes.",
                 {{{{"widths", is_false}}, "numpy.typing.NDArray[numpy.unsignedinteger[typing.Any]]"},
                  {{{"widths", is_true}}, "numpy.typing.NDArray[numpy.float32]"},
                  {{}, any_array}}},
                size_map_of_array);
  add_thickness(module);
}

}  // namespace tamis::python
