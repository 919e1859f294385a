// Distances of images of the host on a GPU: whole, or in slabs with the halo they need.
#pragma once

#include <optional>

#include <tamis/distance.hpp>

#include "distance/request.hpp"

namespace tamis::distance_detail::gpu {

/// Nothing where squares are too large for the device: the CPU does those.
[[nodiscard]] std::optional<SquaredDistances> squares(const Context& context, const Request& request);
/// The same as F32 distances.
[[nodiscard]] std::optional<Image> distances(const Context& context, const Request& request);

}  // namespace tamis::distance_detail::gpu
