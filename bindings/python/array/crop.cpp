#include "python/array/input.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <tamis/image/crop.hpp>
#include <tamis/error.hpp>

#include "python/arguments.hpp"

namespace tamis::python {
namespace {

/// First and last of a slice of an axis, as Python counts: negative numbers from the end.
std::pair<std::int64_t, std::int64_t> ends_of(nb::handle slice, std::int64_t edge) {
  if (PySlice_Check(slice.ptr()) == 0) throw InputError("wanted slices: an index would take an axis away");
  const nb::object ends = slice.attr("indices")(edge);
  if (nb::cast<std::int64_t>(ends[2]) != 1) throw InputError("wanted slices without a step");
  return {nb::cast<std::int64_t>(ends[0]), nb::cast<std::int64_t>(ends[1])};
}

Box box_of_slices(nb::handle crop, const Shape& shape) {
  const nb::tuple slices = PySlice_Check(crop.ptr()) != 0 ? nb::make_tuple(crop) : nb::tuple(crop);
  if (slices.size() > static_cast<std::size_t>(shape.rank)) {
    throw InputError("wanted at most " + std::to_string(shape.rank) + " slices, one for each axis");
  }
  Box box{0, shape.z, 0, shape.y, 0, shape.x};
  std::array<std::pair<std::int64_t*, std::int64_t*>, 3> ends{
      {{&box.z0, &box.z1}, {&box.y0, &box.y1}, {&box.x0, &box.x1}}};
  for (std::size_t i = 0; i < slices.size(); ++i) {
    auto& [first, last] = ends[i + 3 - static_cast<std::size_t>(shape.rank)];
    const auto [from, to] = ends_of(slices[i], *last);
    if (from >= to) throw InputError("a crop of nothing; wanted at least one sample along each axis");
    *first = from;
    *last = to;
  }
  return box;
}

}  // namespace

std::optional<Box> box_of_crop(nb::handle crop, const Shape& shape) {
  if (crop.is_none()) return std::nullopt;
  return about_argument("crop", crop, [&]() -> std::optional<Box> {
    if (PyUnicode_Check(crop.ptr())) {
      const auto text = nb::cast<std::string_view>(crop);
      return text.empty() ? std::nullopt : std::optional(parse_crop(text).of(shape));
    }
    if (PySlice_Check(crop.ptr()) != 0 || PyTuple_Check(crop.ptr())) return box_of_slices(crop, shape);
    throw InputError("wanted 'x0:x1,y0:y1,z0:z1', or slices in the order of the axes, (slice(z0, z1), ...)");
  });
}

}  // namespace tamis::python
