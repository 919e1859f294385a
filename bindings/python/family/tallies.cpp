// Tallies of the parts of larger arrays, which add up: what tamis.dask hands from task to task (tamis/_dask).
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/error.hpp>
#include <tamis/operations/types.hpp>

#include "core/parts/tally.hpp"
#include "granulometry/balls/run.hpp"
#include "granulometry/request.hpp"
#include "python/family/families.hpp"
#include "python/object/sizes.hpp"
#include "threshold/parts.hpp"

namespace tamis::python {

namespace nb = nanobind;

namespace {

using granulometry_detail::BallRequest;
using granulometry_detail::BallTally;
using parts::Tally;
using Numbers = std::vector<std::int64_t>;
using Edges = std::tuple<double, double, double>;  ///< of a voxel along z, y, x

/// How often each of some values of samples occurs.
Tally tally_of_values(const Numbers& values, const Numbers& counts, const std::string& type) {
  Tally tally;
  for (std::size_t i = 0; i < values.size(); ++i) {
    threshold_detail::add_value(tally, *type_from_name(type), values[i], counts[i]);
  }
  return tally;
}

double threshold_of_tally(const Tally& tally, const std::string& type, const std::optional<std::string>& method) {
  return threshold_detail::value_of(tally, *type_from_name(type),
                                    method ? *threshold_method(*method) : ThresholdMethod::TwoValues);
}

/// How many voxels have which number of a size map.
Tally tally_of_sizes(const Numbers& sizes, const Numbers& counts) {
  granulometry_detail::Tally removed;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto size = static_cast<std::size_t>(sizes[i]);
    if (size >= removed.removed_by.size()) removed.removed_by.resize(size + 1);
    if (size > 0) removed.removed_by[size] += counts[i];
  }
  Tally tally;
  removed.put_into(tally);
  return tally;
}

/// Balls that are asked for, of voxels of these edges; the rest of a request needs no image.
BallRequest request_of(bool flat, const Edges& edges, std::optional<std::int64_t> max_size,
                       const std::optional<Numbers>& radii) {
  BallOptions options;
  options.by_slices = flat;
  options.max_size = max_size;
  options.radii = radii.value_or(Numbers());
  const auto [z, y, x] = edges;
  return granulometry_detail::ball_request({3, 1, 1, 1}, {z, y, x, "um"}, options);
}

/// How many voxels have which square of a radius.
Tally tally_of_squares(const Numbers& squares, const Numbers& counts, bool flat, const Edges& edges,
                       std::optional<std::int64_t> max_size, const std::optional<Numbers>& radii) {
  const BallRequest request = request_of(flat, edges, max_size, radii);
  BallTally balls;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    if (squares[i] > 0) balls.add(static_cast<std::uint64_t>(squares[i]), counts[i], request.rule);
  }
  Tally tally;
  balls.put_into(tally);
  return tally;
}

Tally tally_of_census(std::int64_t voxels, std::int64_t border) {
  Tally tally;
  tally.set_sum("voxels", voxels);
  tally.set_sum("border", border);
  return tally;
}

/// The sizes that tallies of all parts and their census come to.
SizesResult sizes_of_tally(const Tally& tally, const std::string& element, const std::string& border, int rank,
                           const Edges& edges, const std::string& unit, std::optional<std::int64_t> max_size,
                           const std::optional<Numbers>& radii) {
  SizesResult result;
  if (element == "ball" || element == "disk") {
    const BallRequest request = request_of(rank == 2, edges, max_size, radii);
    BallTally balls = BallTally::from(tally);
    // What no listed ball covers has no square.
    if (const std::int64_t uncovered = tally.sum("voxels") - balls.finite; uncovered > 0)
      balls.add(1, uncovered, request.rule);
    BallSizes sizes = granulometry_detail::sizes_of(request, balls);
    result.sizes = std::move(sizes.sizes);
    result.thickness = sizes.thickness;
    result.shortest_side = sizes.shortest_side;
  } else {
    GranulometryOptions options;
    options.max_size = max_size;
    result.sizes = granulometry_detail::sizes_of(granulometry_detail::Tally::from(tally), options);
  }
  const auto [z, y, x] = edges;
  result.sizes.spacing = {z, y, x, unit};
  result.sizes.rank = rank;
  result.sizes.border_voxels = tally.sum("border");
  result.element = element;
  result.border = border;
  return result;
}

}  // namespace

void add_tallies(nb::module_& module) {
  nb::class_<Tally>(module, "_Tally")
      .def(nb::init<>())
      .def("add", &Tally::add)
      .def("__getstate__",
           [](const Tally& tally) {
             const std::string bytes = tally.to_bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__", [](Tally& tally, const nb::bytes& bytes) {
        new (&tally) Tally(Tally::from_bytes({bytes.c_str(), bytes.size()}, "a tally"));
      });
  module.def("_tally_of_values", tally_of_values);
  module.def("_threshold_of_tally", threshold_of_tally, nb::arg("tally"), nb::arg("type"), nb::arg("method").none());
  module.def("_tally_of_sizes", tally_of_sizes);
  module.def("_tally_of_squares", tally_of_squares, nb::arg("squares"), nb::arg("counts"), nb::arg("flat"),
             nb::arg("edges"), nb::arg("max_size").none(), nb::arg("radii").none());
  module.def("_tally_of_census", tally_of_census);
  module.def("_sizes_of_tally", sizes_of_tally, nb::arg("tally"), nb::arg("element"), nb::arg("border"),
             nb::arg("rank"), nb::arg("edges"), nb::arg("unit"), nb::arg("max_size").none(), nb::arg("radii").none());
}

}  // namespace tamis::python
