// What nearly every file of the library includes (cmake/precompiled.cmake). No header of the project that changes often.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/image.hpp>
