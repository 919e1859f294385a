// tamis.distance.
#include <tamis/operations/arguments.hpp>
#include <tamis/distance.hpp>

#include "python/array/array.hpp"
#include "python/array/host.hpp"
#include "python/array/result/binary.hpp"
#include "python/array/result/calibrated.hpp"
#include "python/array/result/output.hpp"
#include "python/family/families.hpp"
#include "python/family/filter/gpu_operations.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

/// Distances or squares, slice by slice.
void write(const Context& context, const SquaredDistances& squares, bool squared, const Samples& to) {
  const Shape& shape = squares.squares.shape();
  std::vector<float> slice(squared ? 0 : static_cast<std::size_t>(shape.y * shape.x));
  for (std::int64_t z = 0; z < shape.z; ++z) {
    if (context.cancel.stop_requested()) throw Cancelled();
    if (!squared) read_distances(squares, z, 1, slice.data());
    scatter(squared ? squares.squares.row<std::byte>(z, 0) : reinterpret_cast<const std::byte*>(slice.data()), to, z,
            1);
  }
}

/// Of an array on a GPU, to an array there.
nb::object distance_on_gpu(Call& call, const Given& given, const DistanceArguments& parameters) {
  const nb::handle image = given["image"];
  const int rank = rank_of_gpu_array(image);
  const Spacing spacing = spacing_of(given["spacing"], given.text("unit"), rank).value_or(Spacing{});
  static_cast<void>(whole_sides(spacing, parameters.by_slices ? 2 : rank));  // refused before any work
  return gpu_distance(call, {image, given["roi"], given["crop"], given["out"], parameters.threshold_options(),
                             parameters.options(), spacing, parameters.squared})
      .value;
}

nb::object distance_of_array(Call& call, const Given& given) {
  const nb::handle image = given["image"];
  const DistanceArguments parameters = given.arguments().as<DistanceArguments>();
  if (lives_on_gpu(image)) return distance_on_gpu(call, given, parameters);
  Input input = take_input(image, given["roi"], given["crop"], call.context().memory_bytes);
  const Layout& layout = input.layout();
  const Spacing spacing = spacing_of(given["spacing"], given.text("unit"), layout.shape.rank).value_or(layout.spacing);
  static_cast<void>(whole_sides(spacing, parameters.by_slices ? 2 : layout.shape.rank));  // refused before any work
  std::optional<Output> output;
  if (!parameters.squared) output.emplace(Type::F32, layout.shape, given["out"]);
  Binary binary = binary_of(call, input, parameters.threshold_options());
  binary.object.spacing = spacing;
  const SquaredDistances squares = call.run([&](const Context& context) {
    return squared_distance(context, binary.object, parameters.options(), binary.domain);
  });
  if (parameters.squared) output.emplace(squares.squares.type(), layout.shape, given["out"]);
  call.run([&](const Context& context) { write(context, squares, parameters.squared, output->samples()); });
  return computed_in(output->result(image, layout.spacing).value, given);
}

/// (z, y, x, unit): the sides as whole numbers, and the length that 1 stands for.
nb::tuple sides_of(double z, double y, double x, int rank) {
  const WholeSides sides = whole_sides({z, y, x, ""}, rank);
  return nb::make_tuple(sides.z, sides.y, sides.x, sides.unit);
}

}  // namespace

void add_distance(nb::module_& module) {
  module.def("_sides_of", sides_of);
  const OperationDescription& distance = operation("distance");
  add_operation(module, distance,
                {"image threshold * border phase roi crop by_slices squared spacing unit out",
                 {},
                 any_array,
                 "array of float32, shape of the image; with `squared` of uint16, or uint32 and uint64 where needed",
                 {{{{"squared", is_false}}, "numpy.typing.NDArray[numpy.float32]"},
                  {{{"squared", is_true}}, "numpy.typing.NDArray[numpy.unsignedinteger[typing.Any]]"},
                  {{}, any_array}}},
                distance_of_array);
}

}  // namespace tamis::python
