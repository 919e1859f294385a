// What nearly every file of the Python module includes (cmake/precompiled.cmake).
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/image.hpp>
