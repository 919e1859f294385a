// What is asked of a backend, and the backends.
#pragma once

#include <optional>

#include <tamis/distance.hpp>

#include "distance/plan.hpp"

namespace tamis::distance_detail {

struct Request {
  const Image* object = nullptr;
  const Image* domain = nullptr;  ///< nullptr: everything counts
  bool neutral = false;
  Plan plan;
};

}  // namespace tamis::distance_detail

namespace tamis::distance_detail::cpu {

// The CPU: which rows and columns in what order.

/// Fills squares, largest and unbounded.
SquaredDistances run(const Context& context, const Request& request);

}  // namespace tamis::distance_detail::cpu

namespace tamis::distance_detail::gpu {

// Distances of images of the host on a GPU: whole, or in slabs with the halo they need.

/// Nothing where squares are too large for the device: the CPU does those.
[[nodiscard]] std::optional<SquaredDistances> squares(const Context& context, const Request& request);
/// The same as F32 distances.
[[nodiscard]] std::optional<Image> distances(const Context& context, const Request& request);

}  // namespace tamis::distance_detail::gpu
