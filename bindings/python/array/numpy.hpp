// What is asked of NumPy in every call, looked up once.
#pragma once

#include <nanobind/nanobind.h>

#include <tamis/image.hpp>

namespace tamis::python {

/// Whether an object is numpy.ndarray itself: no subclass, so in host memory, with nothing masked.
[[nodiscard]] bool is_plain_array(nanobind::handle object);

/// What NumPy calls a type.
[[nodiscard]] const char* numpy_name(Type type);

/// numpy.empty. Throws ResourceError where there is no memory.
[[nodiscard]] nanobind::object numpy_empty(nanobind::handle shape, Type type);

}  // namespace tamis::python
