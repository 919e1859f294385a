// granulometry, size_map and thickness.
#include <functional>

#include <tamis/operations/arguments.hpp>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "c/call.hpp"
#include "c/operation/sizes.hpp"

namespace tamis::c {
namespace {

/// A size map whose slices go to what `place` gives for their type.
Sizes map_into(const Call& call, const Binary& binary, const GranulometryOptions& options,
               const std::function<ImageView(Type)>& place) {
  ImageView to;
  Type made = Type::U8;
  const auto start = [&](Type type) {
    made = type;
    to = place(type);
  };
  return size_map(
      call.context, binary.object, options, binary.domain, start,
      [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { write_slices(to, made, slices, z0, count); });
}

/// Numbers of openings as the widths of the largest elements that hold the voxels.
Image widths_of(const Image& sizes, double side) {
  Image widths(Type::F32, sizes.shape(), sizes.spacing);
  const Shape& shape = sizes.shape();
  const auto fill = [&](auto sample) {
    using Sample = decltype(sample);
    for (std::int64_t z = 0; z < shape.z; ++z) {
      for (std::int64_t y = 0; y < shape.y; ++y) {
        const auto* const from = sizes.row<Sample>(z, y);
        auto* const to = widths.row<float>(z, y);
        for (std::int64_t x = 0; x < shape.x; ++x) {
          // The opening that removes a voxel is one past the largest element that holds it.
          to[x] = from[x] == 0 ? 0 : static_cast<float>((2.0 * (static_cast<double>(from[x]) - 1.0) + 1.0) * side);
        }
      }
    }
  };
  if (sizes.type() == Type::U8) fill(std::uint8_t{});
  if (sizes.type() == Type::U16) fill(std::uint16_t{});
  if (sizes.type() == Type::U32) fill(std::uint32_t{});
  return widths;
}

/// A stack of images is none of a volume, whatever the element.
Sizes grey_sizes(const Call& call, const GranulometryArguments& asked) {
  call.refuse_stack();
  if (call.images.find("roi")) throw InputError("roi: grey values are counted in the whole image; wanted none");
  const Image image = call.read(call.images.first());
  const Context work = beside(call.context, image.bytes());
  return asked.element.line_angle ? line_granulometry(work, image, asked.line_options())
                                  : grey_granulometry(work, image, asked.grey_options());
}

BallSizes ball_sizes(const Call& call, const Binary& binary, const BallOptions& options, const Measure& measure) {
  if (!measure) return ball_granulometry(call.context, binary.object, options, binary.domain);
  const Image& object = binary.object;
  ImageView to;
  Type made = Type::U8;
  return ball_map(
      call.context, object, *measure, options, binary.domain,
      [&](const BallSizes&, Type type) {
        made = type;
        to = call.place_for(map_name(call), type, object.shape(), object.spacing, true);
      },
      [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { write_slices(to, made, slices, z0, count); });
}

Sizes unit_sizes(const Call& call, const Binary& binary, const GranulometryOptions& options, const Measure& measure) {
  if (!measure) return granulometry(call.context, binary.object, options, binary.domain);
  if (*measure == BallMeasure::Radius || *measure == BallMeasure::Diameter) {
    refuse_map(measure, "of balls and disks; wanted size or width, or `element ball`");
  }
  const Shape& shape = binary.object.shape();
  const Spacing& spacing = binary.object.spacing;
  if (*measure == BallMeasure::Size) {
    return map_into(call, binary, options,
                    [&](Type type) { return call.place_for(map_name(call), type, shape, spacing, true); });
  }
  Image image;
  Sizes sizes = map_into(call, binary, options, [&](Type type) {
    image = Image(type, shape, spacing);
    return view_of(image);
  });
  if (!sizes.width(0)) refuse_map(measure, "voxels are anisotropic and have no one width; wanted size");
  call.give(map_name(call), widths_of(image, *sizes.width(0)));
  return sizes;
}

void measure_object(const Call& call, const GranulometryArguments& asked, const Measure& map) {
  if (asked.by_balls()) {
    const Binary binary = call.object(asked.threshold_options());
    BallSizes balls = ball_sizes(call, binary, asked.ball_options(), map);
    tell_object(call, binary);
    return tell_sizes(call, balls.sizes, BallFigures{balls.thickness, balls.shortest_side});
  }
  if (!asked.sizes.empty()) throw InputError("sizes: of balls and disks only; wanted `element ball` or `max_size N`");
  const Binary binary = call.object(asked.threshold_options());
  if (asked.element.line_angle) {
    refuse_map(map, "along lines there is none; wanted another element");
    LineGranulometryOptions options = asked.line_options();
    options.phase = Phase::Bright;  // the object is made already
    const Sizes sizes =
        line_granulometry(beside(call.context, binary.object.bytes()), binary.object, options, binary.domain);
    tell_object(call, binary);
    return tell_sizes(call, sizes, {});
  }
  const Sizes sizes = unit_sizes(call, binary, asked.options(), map);
  tell_object(call, binary);
  tell_sizes(call, sizes, {});
}

void measure(const Call& call, const Measure& map) {
  require_map_wanted(call, map.has_value());
  const auto& asked = call.as<GranulometryArguments>();
  if (asked.phase.both) throw InputError("`phase both`: a call measures one object; wanted bright or dark");
  if (!asked.grey) return measure_object(call, asked, map);
  refuse_map(map, "grey values have none; wanted an object");
  if (asked.threshold) throw InputError("`threshold`: grey values have none; wanted it or grey, not both");
  tell_sizes(call, grey_sizes(call, asked), {});
}

}  // namespace

void run_granulometry(const Call& call) { measure(call, map_of(call)); }

void run_size_map(const Call& call) { measure(call, BallMeasure::Size); }

void run_thickness(const Call& call) { measure(call, call.as<GranulometryArguments>().measure); }

}  // namespace tamis::c
