// The descriptions of granulometry and size_map.
#pragma once

#include <vector>

#include <tamis/parse.hpp>

namespace tamis {

struct OperationDescription;

/// Sizes n; a map of 16 bits still holds what survives the last.
inline constexpr NumberRange size_limits{0, 65534};

[[nodiscard]] std::vector<OperationDescription> describe_granulometry();

}  // namespace tamis
