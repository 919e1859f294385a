// The object of an image: what is true, or on one side of a threshold.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include <tamis/threshold.hpp>

#include "context.hpp"
#include "input.hpp"

namespace tamis::python {

/// Bits of the image. Without a threshold True is the object; of other types 1 of 0 and 1, or the larger of two values.
[[nodiscard]] Binary binary_of(Call& call, Input& input, nanobind::handle threshold, std::string_view phase);

}  // namespace tamis::python
