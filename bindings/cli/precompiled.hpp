// What nearly every file of the program includes (cmake/precompiled.cmake).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/image.hpp>
#include <tamis/operations.hpp>
