// tamis.Sizes.
#include "python/object/sizes.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <tuple>
#include <vector>

#include <tamis/operations/parse.hpp>

#include "python/array/result/output.hpp"
#include "python/family/families.hpp"

namespace tamis::python {
namespace {

using namespace nb::literals;

const char* const class_doc = R"(The size distribution of an object, as `granulometry` gives it.

Arrays have an entry for each size n = 0, 1, ... (of balls with `sizes` for 0 and these). Opening n is by n unit elements; a size is that of an element, which is
2n+1 voxels wide. Pictures: `plot()`, and in a notebook the object itself. Tables: `to_pandas()`.
)";

/// An array of one double for each size.
template <class Value>
ArrayResult per_size(const Sizes& sizes, Value value) {
  std::vector<double> values(static_cast<std::size_t>(sizes.rows()));
  for (std::int64_t n = 0; n < sizes.rows(); ++n) values[static_cast<std::size_t>(n)] = value(n);
  return numpy_array(values.data(), values.size());
}

/// Sums of whole grey values are whole numbers, as voxels are.
bool in_whole_numbers(const SizesResult& result) { return !result.sizes.grey || result.sizes.grey->whole; }

ArrayResult curve(const SizesResult& result) {
  const Sizes& sizes = result.sizes;
  if (in_whole_numbers(result)) return numpy_array(sizes.volume.data(), sizes.volume.size());
  return per_size(sizes, [&](std::int64_t n) { return sizes.sum(n); });
}

ArrayResult size(const SizesResult& result) {
  std::vector<std::int64_t> values;
  for (std::int64_t row = 0; row < result.sizes.rows(); ++row) values.push_back(result.sizes.size(row));
  return numpy_array(values.data(), values.size());
}

ArrayResult spectrum(const SizesResult& result) {
  if (!in_whole_numbers(result)) {
    return per_size(result.sizes, [&](std::int64_t n) { return result.sizes.spectrum_sum(n); });
  }
  std::vector<std::int64_t> values(result.sizes.volume.size());
  for (std::int64_t n = 0; n < result.sizes.rows(); ++n) values[static_cast<std::size_t>(n)] = result.sizes.spectrum(n);
  return numpy_array(values.data(), values.size());
}

nb::object width(const SizesResult& result) {
  if (!result.sizes.width(0)) return nb::none();
  return per_size(result.sizes, [&](std::int64_t n) { return *result.sizes.width(result.sizes.size(n)); }).value;
}

/// "cpu", "cuda:0".
std::string device_of(const Sizes& sizes) { return device_text({sizes.device, sizes.gpu}); }

/// Mean, standard deviation and largest of the radius, and the side that they are counted in.
using ThicknessState = std::optional<std::tuple<double, double, double, double>>;
using State = std::tuple<std::vector<std::int64_t>, std::int64_t, bool, bool, std::tuple<double, double, double>,
                         std::string, int, std::string, std::string, std::string,
                         std::optional<std::tuple<double, double, bool>>, ThicknessState, std::vector<std::int64_t>>;

State state_of(const SizesResult& result) {
  const Sizes& sizes = result.sizes;
  std::optional<std::tuple<double, double, bool>> grey;
  if (sizes.grey) grey = {sizes.grey->base, sizes.grey->step, sizes.grey->whole};
  ThicknessState thickness;
  if (result.thickness) {
    const auto& [mean, deviation, largest] = *result.thickness;
    thickness = {mean, deviation, largest, result.shortest_side};
  }
  return {sizes.volume,
          sizes.border_voxels,
          sizes.limited,
          sizes.never_empties,
          {sizes.spacing.z, sizes.spacing.y, sizes.spacing.x},
          sizes.spacing.unit,
          sizes.rank,
          result.element,
          result.border,
          device_of(sizes),
          grey,
          thickness,
          sizes.listed};
}

void restore(SizesResult& result, const State& state) {
  new (&result) SizesResult{};
  std::tuple<double, double, double> edges;
  std::optional<std::tuple<double, double, bool>> grey;
  ThicknessState thickness;
  std::string device;
  Sizes& sizes = result.sizes;
  std::tie(sizes.volume, sizes.border_voxels, sizes.limited, sizes.never_empties, edges, sizes.spacing.unit, sizes.rank,
           result.element, result.border, device, grey, thickness, sizes.listed) = state;
  const DeviceChoice ran_on = parse_device(device);
  sizes.device = ran_on.device;
  sizes.gpu = ran_on.gpu;
  sizes.along_lines = result.element.starts_with("line@");
  if (grey) sizes.grey = {std::get<0>(*grey), std::get<1>(*grey), std::get<2>(*grey)};
  std::tie(sizes.spacing.z, sizes.spacing.y, sizes.spacing.x) = edges;
  if (!thickness) return;
  Thickness& radius = result.thickness.emplace();
  std::tie(radius.mean_radius, radius.standard_deviation, radius.largest_radius, result.shortest_side) = *thickness;
}

/// What is drawn and written is Python's business, and loads its modules when it is asked for.
nb::object in_python(const char* function, nb::handle self) {
  return nb::module_::import_("tamis._sizes").attr(function)(self);
}

void add_arrays(nb::class_<SizesResult>& type) {
  type.def_prop_ro("size", size, nb::sig("def size(self) -> numpy.typing.NDArray[numpy.int64]"),
                   "The size n of each entry: 0, 1, 2 ...; with `sizes` 0 and these. Array of int64.")
      .def_prop_ro(
          "curve", curve,
          "Voxels left after opening n; curve[0] is the object. Array of int64. Of grey=True the sum of grey values; "
          "float64 where the image is float32.")
      .def_prop_ro("spectrum", spectrum,
                   "curve[n] - curve[n+1]: voxels of size n; in the last entry what is left. Sums to curve[0]. Array "
                   "of the type of curve (Maragos 1989).")
      .def_prop_ro(
          "fraction",
          [](const SizesResult& r) { return per_size(r.sizes, [&](std::int64_t n) { return r.sizes.fraction(n); }); },
          nb::sig("def fraction(self) -> numpy.typing.NDArray[numpy.float64]"),
          "curve / curve[0]; 0 for an empty object. Array of float64.")
      .def_prop_ro("width", width, nb::sig("def width(self) -> numpy.typing.NDArray[numpy.float64] | None"),
                   "Extent of the element, 2n+1 voxels, in `unit`. Array of float64; None where voxels are "
                   "anisotropic.");
}

void add_figures(nb::class_<SizesResult>& type) {
  const auto percentile = [](const SizesResult& r, double percent) { return r.sizes.percentile(percent); };
  type.def_prop_ro(
          "predominant", [](const SizesResult& r) { return r.sizes.predominant(); },
          "The size of the largest spectrum, the smallest such size; None where nothing was sieved.")
      .def_prop_ro(
          "unsieved_share", [](const SizesResult& r) { return r.sizes.unsieved_share(); },
          "Share of the object that has no size, for max_size ended before it or because it never erodes. It is in the "
          "last entry; the figures are those of the rest.")
      .def_prop_ro(
          "mean", [](const SizesResult& r) { return r.sizes.mean(); }, "Mean size, weighted by the spectrum, or None.")
      .def_prop_ro(
          "std", [](const SizesResult& r) { return r.sizes.standard_deviation(); },
          "Standard deviation of the size, weighted by the spectrum, or None.")
      .def("percentile", percentile, "percent"_a,
           "The smallest size n such that at least `percent` % of what was sieved has a size of at most n, or None.")
      .def_prop_ro(
          "d10", [](const SizesResult& r) { return r.sizes.percentile(10); }, "percentile(10)")
      .def_prop_ro(
          "d50", [](const SizesResult& r) { return r.sizes.percentile(50); }, "percentile(50)")
      .def_prop_ro(
          "d90", [](const SizesResult& r) { return r.sizes.percentile(90); }, "percentile(90)")
      .def_prop_ro(
          "border_share", [](const SizesResult& r) { return r.sizes.border_share(); },
          "Share of the object's voxels in the outermost layer of the domain, where sizes may be cut short.")
      .def_prop_ro(
          "limited", [](const SizesResult& r) { return r.sizes.limited; },
          "Whether max_size ended the sizes; the last entry is all that is left.")
      .def_prop_ro(
          "never_empties", [](const SizesResult& r) { return r.sizes.never_empties; },
          "Neutral border: whether a part of the object never erodes. It is in the last entry, not in the figures.");
}

nb::object thickness(const SizesResult& result) {
  if (!result.thickness) return nb::none();
  return thickness_object(*result.thickness, result.shortest_side, unit_of(result.sizes.spacing));
}

void add_facts(nb::class_<SizesResult>& type) {
  type.def_prop_ro("thickness", thickness, nb::sig("def thickness(self) -> tamis._thickness.Thickness | None"),
                   "Of element='ball' and 'disk': mean, standard deviation and maximum of the radius, the diameter "
                   "(2R, as BoneJ) and the width (2R - 1) over all voxels of the object. None of other elements, and "
                   "where no radius is finite.")
      .def_prop_ro(
          "spacing",
          [](const SizesResult& r) {
            const Spacing& s = r.sizes.spacing;
            return std::tuple(s.z, s.y, s.x);
          },
          "Edges of a voxel (z, y, x) in `unit`.")
      .def_prop_ro(
          "unit", [](const SizesResult& r) { return unit_of(r.sizes.spacing); },
          "'um', 'mm' ...; 'units' of a spacing without a unit; '' where the voxel size is not known and widths are in "
          "voxels.")
      .def_prop_ro(
          "element", [](const SizesResult& r) { return r.element; }, "The unit element.")
      .def_prop_ro(
          "border", [](const SizesResult& r) { return r.border; }, "What lay outside.")
      .def_prop_ro(
          "grey_base",
          [](const SizesResult& r) { return r.sizes.grey ? std::optional(r.sizes.grey->base) : std::nullopt; },
          "Of grey=True the grey value that sums count from, the lowest (phase dark: the highest); otherwise None.")
      .def_prop_ro(
          "device", [](const SizesResult& r) { return device_of(r.sizes); }, "What computed it: 'cpu', 'cuda:0'.");
}

void add_pictures(nb::class_<SizesResult>& type) {
  const auto delegate = [&type](const char* name, const char* function, const auto&... extra) {
    type.def(
        name, [function](nb::handle self) { return in_python(function, self); }, extra...);
  };
  delegate("to_pandas", "to_pandas", nb::sig("def to_pandas(self) -> pandas.DataFrame"),
           "The table: index size; columns width, volume, fraction, spectrum.");
  delegate("__str__", "text", nb::sig("def __str__(self) -> str"));
  delegate("__repr__", "one_line", nb::sig("def __repr__(self) -> str"));
  type.def(
      "_repr_html_",
      [](nb::handle self) { return nb::module_::import_("tamis._notebook").attr("sizes_html")(self); },
      nb::sig("def _repr_html_(self) -> str"));
  type.def(
      "plot",
      [](nb::handle self, nb::handle axes) { return nb::module_::import_("tamis._sizes").attr("plot")(self, axes); },
      "ax"_a = nb::none(), nb::sig("def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes"),
      "Draws the spectrum as bars and what is left as a line. Returns the axes; without `ax` of a new figure.");
}

}  // namespace

nb::object thickness_object(const Thickness& thickness, double shortest_side, const std::string& unit) {
  return nb::module_::import_("tamis._thickness")
      .attr("Thickness")("mean_radius"_a = thickness.mean_radius * shortest_side,
                         "std_radius"_a = thickness.standard_deviation * shortest_side,
                         "largest_radius"_a = thickness.largest_radius * shortest_side,
                         "shortest_side"_a = shortest_side, "unit"_a = unit);
}

void add_sizes(nb::module_& module) {
  nb::class_<SizesResult> type(module, "Sizes", class_doc);
  add_arrays(type);
  add_figures(type);
  add_facts(type);
  add_pictures(type);
  type.def("__len__", [](const SizesResult& r) { return r.sizes.rows(); })
      .def("__eq__",
           [](const SizesResult& a, nb::handle b) {
             const SizesResult* other = nullptr;
             return nb::try_cast(b, other) && other != nullptr && state_of(a) == state_of(*other);
           })
      .def("__getstate__", state_of)
      .def("__setstate__", restore);
  module.attr("Sizes").attr("__module__") = "tamis";
}

}  // namespace tamis::python
