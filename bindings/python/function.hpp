// Functions of the module as Python's own builtins are: fast calls, a signature that inspect and help() show, pickled
// by their names. nanobind's functions have no place for a signature.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <string>

#include "python/signature.hpp"

namespace tamis::python {

/// What a call does with its arguments, once they are in their places.
using FunctionBody = std::function<nanobind::object(const Values& values)>;

/// Adds a function; `doc` is its docstring without the signature.
void add_function(nanobind::module_& module, Signature signature, const std::string& doc, FunctionBody body);

}  // namespace tamis::python
