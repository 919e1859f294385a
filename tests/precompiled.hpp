// What nearly every test in C++ includes (cmake/precompiled.cmake).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <rapidcheck.h>

#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/image.hpp>
