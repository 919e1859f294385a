// What part of an image a call is about.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include <tamis/image/crop.hpp>

namespace tamis::python {

/// "x0:x1,y0:y1,z0:z1", or slices in the order of the axes as an array takes them; nothing for None and "". The box
/// need not lie in an image of this shape where a text says so. Throws InputError, which names `crop`.
[[nodiscard]] std::optional<Box> box_of_crop(nanobind::handle crop, const Shape& shape);

}  // namespace tamis::python
