#include "python/family/granulometry.hpp"

#include <tamis/balls.hpp>

#include "python/array/array.hpp"
#include "python/array/input.hpp"
#include "python/array/result/binary.hpp"
#include "python/array/result/size_map.hpp"
#include "python/family/filter/gpu_operations.hpp"

namespace tamis::python {
namespace {

/// The object with the sides of its voxels, and the options.
struct Prepared {
  Binary binary;
  Spacing place;  // of the image, whatever sides of a voxel were given
  BallOptions options;
};

Prepared prepare(Call& call, const ObjectArguments& arguments) {
  Input input = take_input(arguments.image, arguments.roi, arguments.crop, call.context().memory_bytes);
  const Layout layout = input.layout();
  const GranulometryArguments parameters = arguments.on(layout.shape.rank);
  Prepared prepared;
  prepared.options = parameters.ball_options();
  const Spacing spacing = arguments.spacing_on(layout.shape.rank).value_or(layout.spacing);
  static_cast<void>(whole_sides(spacing, prepared.options.by_slices ? 2 : layout.shape.rank));  // refused before any work
  prepared.binary = binary_of(call, input, parameters.threshold_options());
  prepared.binary.object.spacing = spacing;
  prepared.place = layout.spacing;
  return prepared;
}

BallSizes host_ball_granulometry(Call& call, const ObjectArguments& arguments) {
  const Prepared prepared = prepare(call, arguments);
  return call.run([&](const Context& context) {
    return ball_granulometry(context, prepared.binary.object, prepared.options, prepared.binary.domain);
  });
}

}  // namespace

bool by_balls(const ObjectArguments& arguments) {
  // Arrays are crosses, cubes and squares.
  return !arguments.element.is_none() && PyUnicode_Check(arguments.element.ptr()) && arguments.on(3).by_balls();
}

SizesResult ball_granulometry_of_array(Call& call, const ObjectArguments& arguments) {
  const bool there = lives_on_gpu(arguments.image);
  const BallSizes balls = there ? gpu_ball_granulometry(call, arguments) : host_ball_granulometry(call, arguments);
  SizesResult result;
  result.sizes = balls.sizes;
  result.thickness = balls.thickness;
  result.shortest_side = balls.shortest_side;
  result.element = balls.sizes.rank == 2 ? "disk" : "ball";
  result.border = name(arguments.on(balls.sizes.rank).ball_options().border);
  return result;
}

MeasuredMap ball_map_of_array(Call& call, const ObjectArguments& arguments, BallMeasure measure, nb::handle out) {
  if (lives_on_gpu(arguments.image)) {
    auto [on_gpu, sizes] = gpu_ball_map(call, arguments, measure, out);
    return {on_gpu, std::move(sizes)};
  }
  const Prepared prepared = prepare(call, arguments);
  BallMapOutput map(prepared.binary.object.shape(), measure, out);
  BallSizes balls = call.run([&](const Context& context) {
    return ball_map(
        context, prepared.binary.object, measure, prepared.options, prepared.binary.domain,
        [&](const BallSizes&, Type type) { map.start_samples(type); },
        [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { map.write(slices, z0, count); });
  });
  return {map.result(arguments.image, prepared.place), std::move(balls)};
}

}  // namespace tamis::python
