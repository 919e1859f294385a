// The parameters of an operation as Python has them: the type, the default, and what a value stands for. The kind of a
// parameter says all of it, here for every operation.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include <tamis/operations.hpp>

namespace tamis::python {

/// "int | str", as a signature has it.
[[nodiscard]] std::string type_of(const Parameter& parameter);
/// "'neutral'", "50.0", "None".
[[nodiscard]] std::string initial_of(const Parameter& parameter);
/// "{'face', 'full'}", as a docstring has it.
[[nodiscard]] std::string documented_type(const Parameter& parameter);
/// What the kind adds to a docstring: which way round a tuple is.
[[nodiscard]] std::string remark_of(const Parameter& parameter);

/// Sets it to what Python gave. Throws InputError "percentile=200: wanted a number from 0 to 100", and TypeError for what
/// is of a wrong type.
void give(Arguments& arguments, const Parameter& parameter, nanobind::handle value);

}  // namespace tamis::python
