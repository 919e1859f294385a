// The descriptions of granulometry, size_map and thickness.
#pragma once

#include <vector>

#include <tamis/operations/parse.hpp>

namespace tamis {

struct OperationDescription;

/// Sizes n: a map of 16 bits holds n + 1, the value of what survives the last opening.
inline constexpr NumberRange size_limits{0, 65534};
/// Radii of balls.
inline constexpr NumberRange radius_limits{1, 65534};

[[nodiscard]] std::vector<OperationDescription> describe_granulometry();

}  // namespace tamis
