#include "python/array/result/calibrated.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "python/arguments.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

/// The class, which the package brings when it is imported and which stays.
PyTypeObject* calibrated_type = nullptr;

bool is_calibrated(nb::handle array) {
  return calibrated_type != nullptr && PyObject_TypeCheck(array.ptr(), calibrated_type) != 0;
}

nb::object edges_of(const Spacing& spacing, int rank) {
  return rank == 2 ? nb::make_tuple(spacing.y, spacing.x) : nb::make_tuple(spacing.z, spacing.y, spacing.x);
}

/// The edges in the order of the axes, and their unit.
nb::object parsed_spacing(nb::handle spacing, std::string_view unit, int rank) {
  const std::optional<Spacing> read = spacing_of(spacing, unit, rank);
  if (!read) return nb::none();
  return nb::make_tuple(edges_of(*read, rank), read->unit);
}

}  // namespace

std::optional<Spacing> calibration_of(nb::handle array) {
  if (!is_calibrated(array)) return std::nullopt;
  const nb::object known = nb::module_::import_("tamis._calibrated").attr("known_to")(array);
  if (known.is_none()) return std::nullopt;
  const auto [edges, unit, placement] = nb::cast<std::tuple<std::tuple<double, double, double>, std::string, nb::object>>(known);
  return Spacing{std::get<0>(edges), std::get<1>(edges), std::get<2>(edges), unit, placement_in(placement)};
}

nb::object placement_tuple(const Spacing& spacing) {
  if (!spacing.placement) return nb::none();
  const auto vector = [](const std::array<double, 3>& v) { return nb::make_tuple(v[0], v[1], v[2]); };
  const auto& [origin, axes, world] = *spacing.placement;
  return nb::make_tuple(vector(origin), nb::make_tuple(vector(axes[0]), vector(axes[1]), vector(axes[2])), name(world));
}

std::optional<Placement> placement_in(nb::handle tuple) {
  if (tuple.is_none()) return std::nullopt;
  using Vector = std::array<double, 3>;
  const auto [origin, axes, word] = nb::cast<std::tuple<Vector, std::array<Vector, 3>, std::string>>(tuple);
  Placement placement{origin, axes, World::Own};
  for (const World world : {World::Scanner, World::Aligned, World::Talairach, World::Mni}) {
    if (word == name(world)) placement.world = world;
  }
  return placement;
}

nb::object calibrated_like(nb::handle array, nb::handle image) {
  if (!is_calibrated(image)) return nb::borrow(array);
  return nb::module_::import_("tamis._calibrated").attr("like")(array, image);
}

nb::object calibrated_by(nb::handle array, const Spacing& spacing, int rank) {
  return nb::module_::import_("tamis._calibrated").attr("placed")(array, edges_of(spacing, rank), spacing.unit, placement_tuple(spacing));
}

nb::object computed_in(nb::handle array, const Given& given) {
  const nb::handle spacing = given["spacing"];
  if (spacing.is_none() || !PyObject_CheckBuffer(array.ptr())) return nb::borrow(array);
  return nb::module_::import_("tamis._calibrated").attr("computed_in")(array, spacing, given.text("unit"), given["out"]);
}

void add_calibration(nb::module_& module) {
  module.def("_know_calibrated", [](nb::handle type) {
    calibrated_type = reinterpret_cast<PyTypeObject*>(nb::borrow(type).release().ptr());
  });
  module.def("_spacing_of", parsed_spacing, nb::arg("spacing").none(), nb::arg("unit"), nb::arg("rank"));
}

}  // namespace tamis::python
