// tamis.phantom.
#include <tamis/phantom.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string>
#include <vector>

#include <tamis/error.hpp>

#include "python/array/output.hpp"
#include "python/array/strided.hpp"
#include "python/family/families.hpp"
#include "python/operation.hpp"

TAMIS_PYTHON_ARGUMENT(PhantomResult, "numpy.typing.NDArray | tuple[numpy.typing.NDArray, numpy.typing.NDArray]");

namespace tamis::python {
namespace {

using namespace nb::literals;

const char* const phantom_doc = R"(A synthetic volume with a known answer, the same on every machine.

Parameters
----------
kind : str
    'foam': overlapping spheres (disks in 2-D), the pores of a foam. 'octahedra': disjoint octahedra (diamonds) whose
    cross granulometry is known in closed form.
size : int, tuple or str
    Edge of a cube, shape of the array (z, y, x) or (y, x), or '256x256x100', x first.
max_radius : int, optional
    Largest radius in voxels; 40 of foam, 20 of octahedra.
min_radius : int
    Smallest radius of foam.
fraction : float
    Share of the foam that is pore.
seed : int
    Start of the random numbers.
return_spectrum : bool
    Of octahedra: return (image, spectrum), the spectrum that `granulometry` has to find.
)" TAMIS_RUN_PARAMETERS_DOC R"(
Returns
-------
array of bool
    True in the pores, or in the octahedra.

Raises
------
InputError
    For a volume that cannot hold what is asked for.

Examples
--------
>>> import tamis
>>> image, spectrum = tamis.phantom("octahedra", (40, 60, 70), max_radius=5, seed=3, return_spectrum=True)
>>> found = tamis.granulometry(image).spectrum
>>> bool((found[:6] == spectrum[:6]).all())
True
)";

struct Made {
  Image image;
  std::vector<std::int64_t> spectrum;
};

PhantomResult phantom(const Keywords& keywords, std::string_view kind, SizeArgument size,
                      std::optional<std::int64_t> max_radius, std::int64_t min_radius, double fraction,
                      std::uint64_t seed, bool return_spectrum) {
  Call call(keywords);
  const Shape shape = shape_of(size.value);
  const bool foam = kind == "foam";
  if (!foam && kind != "octahedra") {
    throw InputError("kind='" + std::string(kind) + "': wanted 'foam' or 'octahedra'");
  }
  if (foam && return_spectrum) throw InputError("return_spectrum: only that of 'octahedra' is known");
  if (!(fraction > 0 && fraction < 1)) {
    throw InputError("fraction=" + std::to_string(fraction) + ": wanted a number above 0 and below 1");
  }
  const Made made = call.run([&](const Context& context) -> Made {
    if (foam) {
      FoamOptions options{shape, FoamOptions().max_radius, min_radius, fraction, seed};
      options.max_radius = max_radius.value_or(options.max_radius);
      return {phantom_foam(context, options), {}};
    }
    OctahedraOptions options{shape, OctahedraOptions().max_radius, seed};
    options.max_radius = max_radius.value_or(options.max_radius);
    Octahedra octahedra = phantom_octahedra(context, options);
    return {std::move(octahedra.image), std::move(octahedra.spectrum)};
  });
  const Output output(Type::Bool, shape, nb::none());
  call.run([&](const Context& context) { unpack(context, made.image, output.samples()); });
  const nb::object image = output.result(nb::none()).value;
  if (!return_spectrum) return {image};
  return {nb::make_tuple(image, numpy_array(made.spectrum.data(), made.spectrum.size()).value)};
}

}  // namespace

void add_phantom(nb::module_& module) {
  add_operation(module, "phantom", phantom, phantom_doc, "kind"_a, "size"_a = 256, nb::kw_only(),
                "max_radius"_a = nb::none(), "min_radius"_a = FoamOptions().min_radius,
                "fraction"_a = FoamOptions().pore_fraction, "seed"_a = FoamOptions().seed, "return_spectrum"_a = false);
}

}  // namespace tamis::python
