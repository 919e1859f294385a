// Functions of the module as Python's own builtins are: fast calls, a signature that inspect and help() show, pickled
// by their names. nanobind's functions have no place for a signature.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <string>
#include <string_view>

#include "python/signature.hpp"

namespace tamis::python {

// The errors of the library as Python exceptions.

/// Adds InputError and ResourceError to the module, and the translation of what the library throws.
void add_errors(nanobind::module_& module);

/// Within a catch: what was thrown as Python's current error. `module` has the classes.
void set_current_error(PyObject* module) noexcept;

/// The message with parameters as keywords: `max_size N` becomes max_size=N.
[[nodiscard]] std::string in_python(std::string_view message);

/// What a call does with its arguments, once they are in their places.
using FunctionBody = std::function<nanobind::object(const Values& values)>;

/// Adds a function; `doc` is its docstring without the signature.
void add_function(nanobind::module_& module, Signature signature, const std::string& doc, FunctionBody body);

}  // namespace tamis::python
