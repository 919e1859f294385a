// What runs on the CPU alone says so in the same words.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "python/context.hpp"

namespace tamis::python {

/// Throws where the array lies on a GPU, or the call asks for one. `what`: "granulometry by balls".
void require_cpu(const Call& call, nanobind::handle image, const std::string& what);

}  // namespace tamis::python
