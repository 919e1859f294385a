// The errors of the library as Python exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace tamis::python {

/// Adds InputError and ResourceError to the module, and the translation of what the library throws.
void add_errors(nanobind::module_& module);

/// Within a catch: what was thrown as Python's current error. `module` has the classes.
void set_current_error(PyObject* module) noexcept;

/// The message with parameters as keywords: `max_size N` becomes max_size=N.
[[nodiscard]] std::string in_python(std::string_view message);

}  // namespace tamis::python
