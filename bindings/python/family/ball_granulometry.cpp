#include "python/family/ball_granulometry.hpp"

#include <tamis/balls.hpp>
#include <tamis/error.hpp>

#include "python/array/array.hpp"
#include "python/array/ball_map.hpp"
#include "python/array/binary.hpp"
#include "python/array/input.hpp"
#include "python/family/cpu_only.hpp"

namespace tamis::python {
namespace {

/// The object with the sides of its voxels, and the options.
struct Prepared {
  Binary binary;
  BallOptions options;
};

Prepared prepare(Call& call, const ObjectArguments& arguments) {
  require_cpu(call, arguments.image, "granulometry by balls");
  Input input = take_input(arguments.image, arguments.roi, arguments.crop, call.context().memory_bytes);
  const Layout layout = input.layout();
  const GranulometryArguments parameters = arguments.on(layout.shape.rank);
  Prepared prepared;
  prepared.options = parameters.ball_options();
  if (layout.shape.rank == 2 && !prepared.options.by_slices) {
    throw InputError("element='ball': the image has two axes; wanted 'disk'");
  }
  const Spacing spacing = arguments.spacing_on(layout.shape.rank).value_or(layout.spacing);
  static_cast<void>(whole_sides(spacing, prepared.options.by_slices ? 2 : 3));  // refused before any work
  prepared.binary = binary_of(call, input, parameters.threshold_options());
  prepared.binary.object.spacing = spacing;
  return prepared;
}

}  // namespace

bool by_balls(const ObjectArguments& arguments) {
  // Arrays are crosses, cubes and squares.
  return !arguments.element.is_none() && PyUnicode_Check(arguments.element.ptr()) && arguments.on(3).by_balls();
}

SizesResult ball_granulometry_of_array(Call& call, const ObjectArguments& arguments) {
  const Prepared prepared = prepare(call, arguments);
  BallSizes balls = call.run([&](const Context& context) {
    return ball_granulometry(context, prepared.binary.object, prepared.options, prepared.binary.domain);
  });
  SizesResult result;
  result.sizes = std::move(balls.sizes);
  result.thickness = balls.thickness;
  result.shortest_side = balls.shortest_side;
  result.element = prepared.options.by_slices ? "disk" : "ball";
  result.border = name(prepared.options.border);
  return result;
}

MeasuredMap ball_map_of_array(Call& call, const ObjectArguments& arguments, BallMeasure measure, nb::handle out) {
  const Prepared prepared = prepare(call, arguments);
  BallMapOutput map(prepared.binary.object.shape(), measure, out);
  BallSizes balls = call.run([&](const Context& context) {
    return ball_map(
        context, prepared.binary.object, prepared.options, prepared.binary.domain,
        [&](const BallSizes& found, Type squares) { map.start(found, squares); },
        [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { map.write(slices, z0, count); });
  });
  return {map.result(arguments.image), std::move(balls)};
}

}  // namespace tamis::python
