// How much memory this process can still take.
#pragma once

#include <cstdint>

namespace tamis {

/// Bytes that the system would give without swapping, and that the limits of this process's control group leave. Where
/// the system does not say, a number that nothing reaches.
[[nodiscard]] std::int64_t free_memory();

}  // namespace tamis
