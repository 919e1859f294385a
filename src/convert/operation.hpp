// The descriptions of convert and resample.
#pragma once

#include <vector>

namespace tamis {

struct OperationDescription;

[[nodiscard]] std::vector<OperationDescription> describe_convert();

}  // namespace tamis
