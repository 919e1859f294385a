// Parallel loops on the CPU: oneTBB, or plain threads in the build for the thread sanitizer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis {

/// Threads an operation on this context uses, at least 1.
int thread_count(const Context& context);

/// body(i) for i in 0 .. count-1, each once, any order, several at a time. The first exception is rethrown here. Throws
/// Cancelled once a stop is requested: nothing that runs in parallel has to look for itself, unless a body takes long.
void parallel_for(const Context& context, std::int64_t count, const std::function<void(std::int64_t)>& body);

/// body(z, y) for every row of an image, so many of them for each task of a thread that it is worth waking.
template <class Body>
void for_each_row(const Context& context, const Shape& shape, const Body& body) {
  const std::int64_t rows = shape.z * shape.y;
  const std::int64_t block = std::clamp<std::int64_t>((std::int64_t{1} << 19) / shape.x, 1, rows);
  parallel_for(context, (rows + block - 1) / block, [&](std::int64_t b) {
    for (std::int64_t row = b * block; row < std::min(rows, (b + 1) * block); ++row) body(row / shape.y, row % shape.y);
  });
}

}  // namespace tamis
