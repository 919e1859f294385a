// The descriptions of median and smooth, and the numbers that they take.
#pragma once

#include <vector>

#include <tamis/operations/parse.hpp>

namespace tamis {
struct OperationDescription;
}

namespace tamis::median_detail {

inline constexpr NumberRange percentiles{0, 100};

[[nodiscard]] std::vector<OperationDescription> describe_medians();

}  // namespace tamis::median_detail
