// The sample of chunks that are not there.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include <tamis/image.hpp>

#include "io/zarr/json.hpp"

namespace tamis::io {

/// A fill_value as both versions have them: a number, true, "NaN", "-Infinity", "0x7fc00000" (the bits of a float), or
/// null for 0. In this machine's byte order; nothing where the type does not hold it.
/// `halves`: u16 stands for half floats.
[[nodiscard]] std::optional<std::array<std::byte, 8>> fill_sample(const Json& value, Type type,
                                                                      bool halves = false);

}  // namespace tamis::io
