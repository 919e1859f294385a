// The descriptions of threshold and threshold_value.
#pragma once

#include <vector>

namespace tamis {

struct OperationDescription;

[[nodiscard]] std::vector<OperationDescription> describe_thresholds();

}  // namespace tamis
