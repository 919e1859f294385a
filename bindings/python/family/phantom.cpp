// tamis.phantom: foam and octahedra, which the program has a command for each.
#include <tamis/phantom.hpp>

#include <string>
#include <vector>

#include <tamis/error.hpp>

#include "python/array/host.hpp"
#include "python/array/result/output.hpp"
#include "python/family/families.hpp"
#include "python/operation.hpp"
#include "python/parameter.hpp"

namespace tamis::python {
namespace {

/// What the phantom of a kind is asked for, in its own words. Octahedra know nothing of a fraction.
template <class Options>
Options options_of(const OperationDescription& kind, const Given& given) {
  Arguments arguments = kind.defaults;
  for (const Parameter& parameter : kind.parameters) {
    const nb::handle value = given[parameter.name];
    if (!value.is_none()) give(arguments, parameter, value);
  }
  return arguments.as<Options>();
}

struct Made {
  Image image;
  std::vector<std::int64_t> spectrum;
};

nb::object phantom(Call& call, const Given& given) {
  const std::string kind(given.text("kind"));
  const bool foam = kind == "foam";
  if (!foam && kind != "octahedra") throw InputError("kind='" + kind + "': wanted 'foam' or 'octahedra'");
  const bool return_spectrum = given.flag("return_spectrum");
  if (foam && return_spectrum) throw InputError("return_spectrum: only that of 'octahedra' is known");
  const auto of_foam = options_of<FoamOptions>(operation("phantom foam"), given);
  const auto of_octahedra = options_of<OctahedraOptions>(operation("phantom octahedra"), given);
  const Made made = call.run([&](const Context& context) -> Made {
    if (foam) return {phantom_foam(context, of_foam), {}};
    Octahedra octahedra = phantom_octahedra(context, of_octahedra);
    return {std::move(octahedra.image), std::move(octahedra.spectrum)};
  });
  const Output output(Type::Bool, made.image.shape(), nb::none());
  call.run([&](const Context& context) { unpack(context, made.image, output.samples()); });
  const nb::object image = output.result(nb::none()).value;
  if (!return_spectrum) return image;
  return nb::make_tuple(image, numpy_array(made.spectrum.data(), made.spectrum.size()).value);
}

OperationDescription description() {
  OperationDescription both = operation("phantom foam");
  both.name = "phantom";
  both.text = "a synthetic volume with a known answer, the same on every machine";
  both.refuses = "a volume that cannot hold what is asked for";
  both.python = R"(>>> import tamis
>>> image, spectrum = tamis.phantom("octahedra", (40, 60, 70), max_radius=5, seed=3, return_spectrum=True)
>>> found = tamis.granulometry(image).spectrum
>>> bool((found[:6] == spectrum[:6]).all())
True
)";
  return both;
}

}  // namespace

void add_phantom(nb::module_& module) {
  static const OperationDescription described = description();
  const Keyword kind{"kind", "typing.Literal['foam', 'octahedra']", "", "{'foam', 'octahedra'}",
                     "'foam': overlapping spheres (disks in 2-D), the pores of a foam. 'octahedra': disjoint octahedra "
                     "(diamonds) whose cross granulometry is known in closed form."};
  Keyword max_radius = keyword_of(described, "max_radius");
  max_radius.initial = "None";
  max_radius.text += " None: 40 of foam, 20 of octahedra.";
  const Keyword return_spectrum{
      "return_spectrum", "bool", "False", "bool",
      "Of octahedra: return (image, spectrum), the spectrum that `granulometry` has to find."};
  const std::string image = "numpy.typing.NDArray[numpy.bool_]";
  const std::string both = "tuple[" + image + ", numpy.typing.NDArray[numpy.int64]]";
  add_operation(
      module, described,
      {"kind size * max_radius min_radius fraction seed return_spectrum",
       {kind, max_radius, return_spectrum},
       image + " | " + both,
       "array of bool\n    True in the pores, or in the octahedra.",
       {{{{"return_spectrum", is_false}}, image}, {{{"return_spectrum", is_true}}, both}, {{}, image + " | " + both}}},
      phantom);
}

}  // namespace tamis::python
