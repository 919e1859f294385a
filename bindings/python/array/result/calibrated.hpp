// Arrays that know the size of their voxels: tamis.CalibratedArray, a class of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include <tamis/image.hpp>

namespace tamis::python {

class Given;

/// Nothing where `array` is none of them, or does not know its voxels.
[[nodiscard]] std::optional<Spacing> calibration_of(nanobind::handle array);
/// A fresh result with the calibration of the image it was made of, where that has one.
[[nodiscard]] nanobind::object calibrated_like(nanobind::handle array, nanobind::handle image);
/// A fresh result whose voxels are of that size.
[[nodiscard]] nanobind::object calibrated_by(nanobind::handle array, const Spacing& spacing, int rank);
/// A result with the `spacing` that the call was given, where there was one; tensors know none.
[[nodiscard]] nanobind::object computed_in(nanobind::handle array, const Given& given);

/// ((x, y, z) of the first voxel, the axes, the world) for Python, or None; and back.
[[nodiscard]] nanobind::object placement_tuple(const Spacing& spacing);
[[nodiscard]] std::optional<Placement> placement_in(nanobind::handle tuple);

/// What tamis._calibrated asks of the module.
void add_calibration(nanobind::module_& module);

}  // namespace tamis::python
