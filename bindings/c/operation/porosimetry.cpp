// porosimetry.
#include <string>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/porosimetry.hpp>

#include "c/call.hpp"
#include "c/operation/sizes.hpp"

namespace tamis::c {
namespace {

Porosimetry measured(const Call& call, const Binary& binary, const PorosimetryOptions& options, const Image& inlet) {
  const Measure map = map_of(call);
  if (!map) return porosimetry(call.context, binary.object, options, binary.domain, inlet);
  const Shape& shape = binary.object.shape();
  Image slices;  // of one delivery
  ImageView to;
  BallSizes balls;
  Type squares = Type::U16;
  return invasion_map(
      call.context, binary.object, options, binary.domain, inlet,
      [&](const BallSizes& sizes, Type type) {
        balls = sizes;
        squares = type;
        to = call.place_for("map", ball_map_type(sizes, *map), shape, binary.object.spacing, true);
      },
      [&](const std::byte* from, std::int64_t z0, std::int64_t count) {
        const Type type = ball_map_type(balls, *map);
        slices = Image(type, {count, shape.y, shape.x, 3});
        measure_balls(balls, *map, squares, from, count * shape.y * shape.x, slices.data());
        write_slices(to, type, slices.data(), z0, count);
      });
}

void add_table(const Call& call, const Porosimetry& found, const PorosimetryArguments& asked, const Spacing& spacing) {
  std::vector<double> size, radius, diameter, pressure, invaded, saturation;
  for (std::int64_t n = 0; n < found.rows(); ++n) {
    size.push_back(static_cast<double>(n));
    radius.push_back(found.radius(n));
    diameter.push_back(2 * found.radius(n));
    pressure.push_back(number_or_nan(pressure_at(found.radius(n), spacing, asked.sigma, asked.theta)));
    invaded.push_back(static_cast<double>(found.invaded_at(n)));
    saturation.push_back(found.saturation(n));
  }
  const std::string unit = " [" + length_unit(spacing) + "]";
  call.result.add("size", std::move(size));
  call.result.add("radius" + unit, std::move(radius));
  call.result.add("diameter" + unit, std::move(diameter));
  call.result.add("pressure [Pa]", std::move(pressure));
  call.result.add("invaded", std::move(invaded));
  call.result.add("saturation", std::move(saturation));
}

}  // namespace

void run_porosimetry(const Call& call) {
  const auto& asked = call.as<PorosimetryArguments>();
  if (!asked.inlet.mask.empty()) {
    throw InputError(
        "inlet=" + asked.inlet.mask +
        ": wanted z-, z+, y-, y+, x-, x+, several of them as in x-,x+, all, first, or an image called inlet");
  }
  require_map_wanted(call, map_of(call).has_value());
  const Binary binary = call.object(asked.threshold_options());
  PorosimetryOptions options = asked.options();
  Image inlet;
  if (const ConstImageView* const mask = call.images.find("inlet")) {
    options.inlet = {};
    inlet = inlet_of_mask(call.context, call.source()->layout(), *source_of(*mask));
  }
  const Porosimetry found = measured(call, binary, options, inlet);
  const Spacing& spacing = binary.object.spacing;
  add_table(call, found, asked, spacing);
  nlohmann::ordered_json& json = call.result.figures;
  json["object_volume"] = found.volume;
  json["invaded_volume"] = found.invaded;
  json["never_reached"] = found.never_reached();
  json["breakthrough_radius"] = number_or_null(found.breakthrough);
  json["unit"] = length_unit(spacing);
  json["machine"] = call.context.describe(found.balls.sizes.device);
}

}  // namespace tamis::c
