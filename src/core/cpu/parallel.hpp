// Parallel loops on the CPU: oneTBB, or plain threads in the build for the thread sanitizer.
#pragma once

#include <cstdint>
#include <functional>

#include <tamis/context.hpp>

namespace tamis {

/// Threads an operation on this context uses, at least 1.
int thread_count(const Context& context);

/// body(i) for i in 0 .. count-1, each once, any order, several at a time. The first exception is rethrown here. Throws
/// Cancelled once a stop is requested: nothing that runs in parallel has to look for itself, unless a body takes long.
void parallel_for(const Context& context, std::int64_t count, const std::function<void(std::int64_t)>& body);

}  // namespace tamis
