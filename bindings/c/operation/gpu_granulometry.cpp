// granulometry, size_map and thickness in the memory of a GPU.
#include <tamis/operations/arguments.hpp>
#include <tamis/balls.hpp>
#include <tamis/error.hpp>

#include "c/operation/sizes.hpp"

namespace tamis::c {
namespace {

/// Where a map goes; the library says which of the caller's types hold it.
GpuOutput place_for_map(const Call& call, Type type, const Shape& shape) {
  const std::string name = map_name(call);
  if (const std::optional<ImageView> view = call.outputs.take(name, shape)) return array_on(*call.images.gpu(), *view);
  return call.place_on_gpu(name, type, shape);
}

[[noreturn]] void refuse(const Call& call, const std::string& what) {
  throw InputError("image: in " + place(call.images.gpu()) + ", where " + what + " does not run yet; wanted " +
                   place({}));
}

void measure_balls_of(const Call& call, const GranulometryArguments& asked, const Measure& map) {
  const GpuObject object = object_on_gpu(call, asked.threshold_options());
  const Spacing& spacing = call.images.first().spacing;
  const BallOptions options = asked.ball_options();
  const BallSizes balls = map ? ball_map(call.context, object.samples, *map, options, object.domain, spacing,
                                         [&](Type type) { return place_for_map(call, type, object.samples.shape); })
                              : ball_granulometry(call.context, object.samples, options, object.domain, spacing);
  tell_sizes(call, balls.sizes, BallFigures{balls.thickness, balls.shortest_side});
}

void measure_units(const Call& call, const GranulometryArguments& asked, const Measure& map) {
  if (!asked.sizes.empty()) throw InputError("sizes: of balls and disks only; wanted `element ball` or `max_size N`");
  if (map && *map != BallMeasure::Size) refuse_map(map, "of balls and disks on a GPU; wanted size, or `element ball`");
  const GpuObject object = object_on_gpu(call, asked.threshold_options());
  const GranulometryOptions options = asked.options();
  Sizes sizes = map ? size_map(call.context, object.samples, options, object.domain,
                               [&](Type type) { return place_for_map(call, type, object.samples.shape); })
                    : granulometry(call.context, object.samples, options, object.domain);
  sizes.spacing = call.images.first().spacing;
  tell_sizes(call, sizes, {});
}

void measure(const Call& call, const Measure& map) {
  require_map_wanted(call, map.has_value());
  const auto& asked = call.as<GranulometryArguments>();
  if (asked.phase.both) throw InputError("`phase both`: a call measures one object; wanted bright or dark");
  if (asked.grey) refuse(call, "granulometry of grey values");
  if (asked.element.line_angle) refuse(call, "granulometry along lines");
  if (asked.by_balls()) {
    measure_balls_of(call, asked, map);
  } else {
    measure_units(call, asked, map);
  }
  call.tell_gpu();
}

}  // namespace

void run_granulometry_on_gpu(const Call& call) { measure(call, map_of(call)); }

void run_size_map_on_gpu(const Call& call) { measure(call, BallMeasure::Size); }

void run_thickness_on_gpu(const Call& call) { measure(call, call.as<GranulometryArguments>().measure); }

}  // namespace tamis::c
