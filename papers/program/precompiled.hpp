// What every file of the program includes (cmake/precompiled.cmake).
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/image.hpp>
