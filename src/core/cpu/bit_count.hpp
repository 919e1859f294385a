// How many bits are set.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

namespace tamis {

/// Ones in `count` words. The compiler's own popcount is a table look-up on the oldest processors we build for.
std::int64_t count_ones(Simd simd, const std::uint64_t* words, std::int64_t count);

}  // namespace tamis
