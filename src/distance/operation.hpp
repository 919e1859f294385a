// The description of distance.
#pragma once

#include <vector>

namespace tamis {

struct OperationDescription;

[[nodiscard]] std::vector<OperationDescription> describe_distance();

}  // namespace tamis
