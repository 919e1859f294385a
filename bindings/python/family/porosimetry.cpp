// tamis.porosimetry.
#include <tamis/porosimetry.hpp>

#include <optional>
#include <string>
#include <vector>

#include <tamis/operations/arguments.hpp>

#include "python/array/array.hpp"
#include "python/array/gpu.hpp"
#include "python/array/result/binary.hpp"
#include "python/array/result/calibrated.hpp"
#include "python/array/result/size_map.hpp"
#include "python/family/families.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

using namespace nb::literals;

constexpr Choice<BallMeasure> measures[] = {{"size", BallMeasure::Size},
                                            {"radius", BallMeasure::Radius},
                                            {"width", BallMeasure::Width},
                                            {"diameter", BallMeasure::Diameter}};

std::optional<BallMeasure> measure_of(nb::handle map) {
  if (map.is_none()) return std::nullopt;
  return about_argument("map", map, [&] { return parse_choice(text_argument(map, "map"), measures); });
}

template <class Value>
nb::object column(const Porosimetry& found, Value value) {
  std::vector<double> values;
  for (std::int64_t n = 0; n < found.rows(); ++n) values.push_back(value(n));
  return numpy_array(values.data(), values.size()).value;
}

/// tamis._porosimetry.Porosimetry of it.
nb::object object_of(const Porosimetry& found, const Spacing& spacing, const Arguments& arguments,
                     const std::string& inlet, nb::object map) {
  const auto& asked = arguments.as<PorosimetryArguments>();
  std::vector<std::int64_t> invaded;
  for (std::int64_t n = 0; n < found.rows(); ++n) invaded.push_back(found.invaded_at(n));
  const bool metres = pressure_at(1, spacing, asked.sigma, asked.theta).has_value();
  const nb::object pressure = metres ? column(found,
                                              [&](std::int64_t n) {
                                                return pressure_at(found.radius(n), spacing, asked.sigma, asked.theta)
                                                    .value_or(std::numeric_limits<double>::infinity());
                                              })
                                     : nb::none();
  return nb::module_::import_("tamis._porosimetry")
      .attr("Porosimetry")(
          "radius"_a = column(found, [&](std::int64_t n) { return found.radius(n); }), "pressure"_a = pressure,
          "invaded"_a = numpy_array(invaded.data(), invaded.size()).value,
          "saturation"_a = column(found, [&](std::int64_t n) { return found.saturation(n); }),
          "volume"_a = found.volume, "never_reached"_a = found.never_reached(),
          "breakthrough"_a = found.breakthrough ? nb::object(nb::float_(*found.breakthrough)) : nb::none(),
          "pores"_a = found.pores ? numpy_array(found.pores->sizes.volume.data(), found.pores->sizes.volume.size()).value : nb::none(),
          "map"_a = map, "unit"_a = unit_of(spacing), "inlet"_a = inlet, "border"_a = arguments.text("border"),
          "sigma"_a = asked.sigma, "theta"_a = asked.theta);
}

/// The inlet is set here: a text may name faces, but no file.
Arguments with_faces(Arguments arguments, nb::handle inlet, bool mask) {
  if (inlet.is_none() || mask) return arguments;
  about_argument("inlet", inlet, [&] {
    arguments.set("inlet", text_argument(inlet, "inlet"));
    if (arguments.as<PorosimetryArguments>().inlet.mask.empty()) return;
    throw InputError("wanted z-, z+, y-, y+, x-, x+, several of them as in x-,x+, all, first, or an array");
  });
  return arguments;
}

template <class Make>
auto about_inlet(Make make) {
  try {
    return make();
  } catch (const InputError& error) {
    throw InputError(std::string("inlet: ") + error.what());
  }
}

/// An array in host memory: a copy of one that lies on a GPU.
nb::object on_host(nb::handle array) {
  return lives_on_gpu(array) ? GpuExchange(array).download() : nb::borrow(array);
}

nb::object porosimetry_of_array(Call& call, const Given& given) {
  // Bits go to the GPU that the image was on, where the work is done; a map goes back there.
  std::optional<GpuExchange> there;
  if (lives_on_gpu(given["image"])) there.emplace(given["image"]);
  if (there && !given["out"].is_none()) {
    throw InputError("out: of an array on a GPU the map is a fresh array there; wanted none");
  }
  const nb::object image = on_host(given["image"]);
  const nb::object roi = on_host(given["roi"]);
  const nb::object inlet = on_host(given["inlet"]);
  const bool mask = !inlet.is_none() && !PyUnicode_Check(inlet.ptr());
  const Arguments arguments = with_faces(given.arguments(), inlet, mask);
  const auto& asked = arguments.as<PorosimetryArguments>();
  const std::optional<BallMeasure> measure = measure_of(given["map"]);
  if (!measure && !given["out"].is_none()) throw InputError("out: there is no map; wanted map='radius' or another");
  Input input = take_input(image, roi, given["crop"], call.context().memory_bytes);
  const Layout layout = input.layout();
  const Spacing spacing = spacing_of(given["spacing"], given.text("unit"), layout.shape.rank).value_or(layout.spacing);
  static_cast<void>(whole_sides(spacing, layout.shape.rank));  // refused before any work
  PorosimetryOptions options = asked.options();
  options.pores = given.flag("pores");
  Image inlet_bits;
  if (mask) {
    options.inlet = {};
    const auto source = source_of_array(inlet, "inlet", call.context().memory_bytes);
    inlet_bits = about_inlet(
        [&] { return call.run([&](const Context& context) { return inlet_of_mask(context, layout, *source); }); });
  }
  Binary binary = binary_of(call, input, asked.threshold_options());
  binary.object.spacing = spacing;
  std::optional<BallMapOutput> map;
  if (measure) map.emplace(layout.shape, *measure, given["out"]);
  const Porosimetry found = call.run([&](const Context& caller) {
    const Context context = there ? there->on_gpu(caller) : caller;
    if (!map) return porosimetry(context, binary.object, options, binary.domain, inlet_bits);
    return invasion_map(
        context, binary.object, options, binary.domain, inlet_bits,
        [&](const BallSizes& balls, Type squares) { map->start(balls, squares); },
        [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { map->write(slices, z0, count); });
  });
  nb::object drawn = map ? computed_in(map->result(image, layout.spacing).value, given) : nb::none();
  if (there && map) drawn = there->upload(drawn).object;
  const std::string faces = mask ? "mask" : to_string(inlet_faces(options.inlet, layout.shape.rank));
  return object_of(found, spacing, arguments, faces, drawn);
}

}  // namespace

void add_porosimetry(nb::module_& module) {
  const Keyword map{"map", "typing.Literal['size', 'radius', 'width', 'diameter']", "None",
                    "{'size', 'radius', 'width', 'diameter'}",
                    "What `map` of the result holds at every voxel that is invaded, 0 elsewhere: the radius of the "
                    "largest ball that gets there and covers it, its diameter 2R or width 2R - 1, float32, in `unit` "
                    "or voxels; or the least whole number of shortest sides that is no less than the radius. None: no "
                    "map."};
  const Keyword out{"out", any_array, "None", "array",
                    "Where the map goes, any strides: float32; for 'size' an unsigned type that is wide enough."};
  const Keyword pores{"pores", "bool", "False", "bool",
                      "Also what the pores are by their own sizes, `pores` of the result, which `plot()` draws beside what is "
                      "invaded; about as long again."};
  Keyword inlet = keyword_of(operation("porosimetry"), "inlet");
  inlet.type = "str | numpy.typing.ArrayLike";
  inlet.documented = "str or array";
  inlet.text =
      "Where the fluid comes from: faces, which are open, 'z-', 'z+', 'y-', 'y+', 'x-', 'x+', several of them "
      "as 'x-,x+', 'all', or 'first', z- of a volume and y- of an image; or an array that is not 0 there, of the shape of the image after `crop`, or one "
      "slice for all.";
  add_operation(module, operation("porosimetry"),
                {"image threshold * inlet border phase roi crop convention sigma theta spacing unit map pores out",
                 {inlet, map, pores, out},
                 "tamis._porosimetry.Porosimetry",
                 "Porosimetry\n"
                 "    With `radius`, `pressure`, `saturation`, `invaded`, `breakthrough`, `never_reached` and `map`;\n"
                 "    `plot()` and `to_pandas()`."},
                porosimetry_of_array);
}

}  // namespace tamis::python
