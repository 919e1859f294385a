#include "python/family/filter/gpu_operations.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>

#include <tamis/error.hpp>
#include <tamis/gpu/array.hpp>

#include "python/array/gpu.hpp"
#include "python/array/host.hpp"
#include "python/array/input.hpp"
#include "python/array/result/output.hpp"

namespace tamis::python {
namespace {

/// The image of a call as its keywords want it: cropped, with the domain that counts.
struct GpuInput {
  GpuArray image;
  HeldGpuArray roi;
  GpuArray domain;  ///< empty: everything
};

GpuArray part_of(const GpuArray& array, const Box& box) {
  GpuArray part = array;
  part.shape.z = box.z1 - box.z0;
  part.shape.y = box.y1 - box.y0;
  part.shape.x = box.x1 - box.x0;
  part.data = static_cast<const std::byte*>(array.data) + box.z0 * array.stride_z + box.y0 * array.stride_y +
              box.x0 * array.stride_x;
  return part;
}

Box inside(const Box& box, const Shape& shape) {
  if (box.z1 <= shape.z && box.y1 <= shape.y && box.x1 <= shape.x) return box;
  throw InputError("not inside the image of " + to_string(shape));
}

HeldGpuArray cylinder(Call& call, const GpuExchange& exchange, const Shape& shape) {
  const Output disk(Type::Bool, {1, shape.y, shape.x, 2}, nb::none());
  call.run([&](const Context& context) { unpack(context, inscribed_disk(shape.y, shape.x), disk.samples()); });
  return exchange.upload(disk.result(nb::none()).value);
}

HeldGpuArray take_roi(Call& call, const GpuExchange& exchange, nb::handle roi) {
  if (PyUnicode_Check(roi.ptr())) {
    const auto word = nb::cast<std::string>(roi);
    if (word != "cylinder") throw InputError("roi='" + word + "': wanted 'cylinder' or an array");
    return cylinder(call, exchange, exchange.image().samples.shape);
  }
  HeldGpuArray held = exchange.take(roi, "roi");
  if (held.samples.type == Type::Bool || held.samples.type == Type::U8) return held;
  return exchange.take(nb::object(roi.attr("__ne__")(0)), "roi");
}

GpuInput take_gpu_input(Call& call, const GpuExchange& exchange, nb::handle roi, nb::handle crop) {
  GpuInput input;
  input.image = exchange.image().input();
  const Shape whole = input.image.shape;
  if (!roi.is_none()) {
    input.roi = take_roi(call, exchange, roi);
    input.domain = input.roi.input();
  }
  const std::optional<Box> wanted = box_of_crop(crop, whole);
  if (!wanted) return input;
  about_argument("crop", crop, [&] {
    Box box = inside(*wanted, whole);
    input.image = part_of(input.image, box);
    // A mask of the whole image is cropped with it; one that was made for the crop is taken as it is.
    const Shape& shape = input.domain.shape;
    if (input.domain.empty() || shape.x != whole.x || shape.y != whole.y) return;
    if (shape.z == 1) {
      box.z0 = 0;
      box.z1 = 1;
    } else if (shape.z != whole.z) {
      return;
    }
    input.domain = part_of(input.domain, box);
  });
  return input;
}

/// Writes the object to `out`: on one side of a threshold, or what is true.
void write_object(Call& call, const GpuExchange& exchange, const GpuInput& input, ThresholdOptions options,
                  const GpuOutput& out) {
  ThresholdOptions above_zero;
  above_zero.method = ThresholdMethod::Value;
  above_zero.phase = options.phase;
  const Type type = input.image.type;
  if (options.method == ThresholdMethod::TwoValues && type == Type::Bool) options = above_zero;
  call.run([&](const Context& context) {
    const Context own = exchange.on_stream(context);
    try {
      binarise(own, input.image, out, options, input.domain);
    } catch (const InputError&) {
      // A mask of integers may be 0, or 1, everywhere: it does not have two values.
      if (options.method != ThresholdMethod::TwoValues || type == Type::F32 || type == Type::F64) throw;
      const Histogram values = histogram(own, input.image, input.domain);
      if (values.minimum < 0 || values.maximum > 1) throw;
      binarise(own, input.image, out, above_zero, input.domain);
    }
  });
}

/// An object ready to be measured. Work on it is queued: it has to stay until more was queued on the stream.
struct GpuObject {
  GpuInput input;
  HeldGpuArray made;  ///< the object, where the image is not it already
  GpuArray object;
};

GpuObject take_object(Call& call, const GpuExchange& exchange, nb::handle roi, nb::handle crop,
                      const ThresholdOptions& options) {
  GpuObject taken;
  taken.input = take_gpu_input(call, exchange, roi, crop);
  const GpuArray& image = taken.input.image;
  taken.object = image;
  const bool none = options.method == ThresholdMethod::TwoValues;
  if (none && image.type == Type::Bool && options.phase == Phase::Bright) return taken;
  constexpr Type type = Type::Bool;
  taken.made = exchange.output(nb::none(), &type, image.shape);
  write_object(call, exchange, taken.input, options, taken.made.samples);
  taken.object = taken.made.input();
  return taken;
}

/// The same with the options of its granulometry.
struct Prepared : GpuObject {
  GranulometryOptions options;
  Spacing spacing;
};

Prepared prepare(Call& call, const GpuExchange& exchange, const ObjectArguments& arguments) {
  const int rank = exchange.image().samples.shape.rank;
  const GranulometryArguments parameters = arguments.on(rank);
  return {take_object(call, exchange, arguments.roi, arguments.crop, parameters.threshold_options()),
          parameters.options(), arguments.spacing_on(rank).value_or(Spacing{})};
}

struct PreparedBalls : GpuObject {
  BallOptions options;
  Spacing spacing;
};

PreparedBalls prepare_balls(Call& call, const GpuExchange& exchange, const ObjectArguments& arguments) {
  const int rank = exchange.image().samples.shape.rank;
  const GranulometryArguments parameters = arguments.on(rank);
  const BallOptions options = parameters.ball_options();
  const Spacing spacing = arguments.spacing_on(rank).value_or(Spacing{});
  static_cast<void>(whole_sides(spacing, options.by_slices ? 2 : rank));  // refused before any work
  return {take_object(call, exchange, arguments.roi, arguments.crop, parameters.threshold_options()), options, spacing};
}

/// The width of the largest element that holds a voxel, for every value of a size map.
nb::object width_table(std::int64_t values, const Spacing& spacing) {
  nb::object table = numpy_empty(nb::make_tuple(values), Type::F32);
  const Buffer buffer(table, PyBUF_WRITABLE);
  auto* const widths = static_cast<float*>(buffer.view().buf);
  widths[0] = 0;
  for (std::int64_t i = 1; i < values; ++i) {
    widths[i] = static_cast<float>((2 * static_cast<double>(i - 1) + 1) * spacing.x);
  }
  return table;
}

/// The size map in a fresh array of the narrowest type; `values` becomes one more than the largest it may hold.
HeldGpuArray fresh_map(Call& call, const GpuExchange& exchange, const Prepared& prepared, std::int64_t& values) {
  const GranulometryOptions& options = prepared.options;
  const GpuArray& object = prepared.object;
  const GpuInput& input = prepared.input;
  constexpr std::int64_t queued_up_to = 254;  // what a byte holds, whatever turns out to be there
  if (options.max_size && *options.max_size <= queued_up_to) {
    constexpr Type type = Type::U8;
    HeldGpuArray map = exchange.output(nb::none(), &type, object.shape);
    call.run([&](const Context& context) {
      size_map(exchange.on_stream(context), object, map.samples, options, input.domain);
    });
    values = queued_up_to + 2;
    return map;
  }
  HeldGpuArray map;
  const Sizes sizes = call.run([&](const Context& context) {
    return size_map(exchange.on_stream(context), object, options, input.domain, [&](Type type) {
      const nb::gil_scoped_acquire gil;
      map = exchange.output(nb::none(), &type, object.shape);
      return map.samples;
    });
  });
  values = std::max<std::int64_t>(sizes.rows(), options.max_size.value_or(0) + 1) + 1;
  return map;
}

}  // namespace

ArrayResult gpu_threshold(Call& call, nb::handle image, const ThresholdOptions& options, nb::handle roi,
                          nb::handle crop, nb::handle out) {
  const GpuExchange exchange(image);
  const GpuInput input = take_gpu_input(call, exchange, roi, crop);
  constexpr Type type = Type::Bool;
  const HeldGpuArray object = exchange.output(out, &type, input.image.shape);
  write_object(call, exchange, input, options, object.samples);
  return {object.object};
}

double gpu_threshold_value(Call& call, nb::handle image, ThresholdMethod method, nb::handle roi, nb::handle crop) {
  const GpuExchange exchange(image);
  const GpuInput input = take_gpu_input(call, exchange, roi, crop);
  return call.run([&](const Context& context) {
    return threshold_value(exchange.on_stream(context), input.image, method, input.domain);
  });
}

SizesResult gpu_granulometry(Call& call, const ObjectArguments& arguments) {
  const GpuExchange exchange(arguments.image);
  const Prepared prepared = prepare(call, exchange, arguments);
  SizesResult result;
  result.sizes = call.run([&](const Context& context) {
    return granulometry(exchange.on_stream(context), prepared.object, prepared.options, prepared.input.domain);
  });
  result.sizes.spacing = prepared.spacing;
  result.element = name(prepared.options.element);
  result.border = name(prepared.options.border);
  return result;
}

ArrayResult gpu_size_map(Call& call, const ObjectArguments& arguments, bool widths, nb::handle out) {
  const GpuExchange exchange(arguments.image);
  const Prepared prepared = prepare(call, exchange, arguments);
  const Shape& shape = prepared.object.shape;
  std::int64_t values = 0;
  if (widths) {
    const int rank = prepared.options.element == Element::Square ? 2 : shape.rank;
    if (!prepared.spacing.isotropic(rank)) {
      throw InputError("widths=True: voxels are anisotropic and have no one width; wanted the sizes, widths=False");
    }
    if (!out.is_none()) {
      constexpr Type type = Type::F32;
      static_cast<void>(exchange.output(out, &type, shape));
    }
    const HeldGpuArray map = fresh_map(call, exchange, prepared, values);
    return {exchange.widths(map, width_table(values, prepared.spacing), out).object};
  }
  if (out.is_none()) return {fresh_map(call, exchange, prepared, values).object};
  const HeldGpuArray map = exchange.output(out, nullptr, shape);
  call.run([&](const Context& context) {
    if (prepared.options.max_size && map.samples.type == Type::U8 && *prepared.options.max_size > UINT8_MAX - 1) {
      // The limit may never be met: sizes are found first.
      static_cast<void>(size_map(exchange.on_stream(context), prepared.object, prepared.options, prepared.input.domain,
                                 [&](Type) { return map.samples; }));
    } else {
      size_map(exchange.on_stream(context), prepared.object, map.samples, prepared.options, prepared.input.domain);
    }
  });
  return {map.object};
}

BallSizes gpu_ball_granulometry(Call& call, const ObjectArguments& arguments) {
  const GpuExchange exchange(arguments.image);
  const PreparedBalls prepared = prepare_balls(call, exchange, arguments);
  return call.run([&](const Context& context) {
    return ball_granulometry(exchange.on_stream(context), prepared.object, prepared.options, prepared.input.domain,
                             prepared.spacing);
  });
}

std::pair<ArrayResult, BallSizes> gpu_ball_map(Call& call, const ObjectArguments& arguments, BallMeasure measure,
                                               nb::handle out) {
  const GpuExchange exchange(arguments.image);
  const PreparedBalls prepared = prepare_balls(call, exchange, arguments);
  HeldGpuArray map;
  if (!out.is_none()) map = exchange.output(out, nullptr, prepared.object.shape);
  BallSizes balls = call.run([&](const Context& context) {
    return ball_map(exchange.on_stream(context), prepared.object, measure, prepared.options, prepared.input.domain,
                    prepared.spacing, [&](Type type) {
                      if (!out.is_none()) return map.samples;
                      const nb::gil_scoped_acquire gil;
                      map = exchange.output(nb::none(), &type, prepared.object.shape);
                      return map.samples;
                    });
  });
  return {ArrayResult{map.object}, std::move(balls)};
}

ArrayResult gpu_distance(Call& call, const GpuDistance& asked) {
  const GpuExchange exchange(asked.image);
  const GpuObject taken = take_object(call, exchange, asked.roi, asked.crop, asked.threshold);
  HeldGpuArray result;
  const Shape& shape = taken.object.shape;
  if (!asked.squared) {
    constexpr Type type = Type::F32;
    result = exchange.output(asked.out, &type, shape);
    call.run([&](const Context& context) {
      distance(exchange.on_stream(context), taken.object, result.samples, asked.options, taken.input.domain,
               asked.spacing);
    });
    return {result.object};
  }
  if (!asked.out.is_none()) result = exchange.output(asked.out, nullptr, shape);
  call.run([&](const Context& context) {
    squared_distance(exchange.on_stream(context), taken.object, asked.options, taken.input.domain, asked.spacing,
                     [&](Type type) {
                       if (!asked.out.is_none()) return result.samples;
                       const nb::gil_scoped_acquire gil;
                       result = exchange.output(nb::none(), &type, shape);
                       return result.samples;
                     });
  });
  return {result.object};
}

int rank_of_gpu_array(nb::handle image) { return GpuExchange(image).image().samples.shape.rank; }

}  // namespace tamis::python
