// The descriptions of orientation, skew, deskew and rotate.
#pragma once

#include <vector>

namespace tamis {

struct OperationDescription;

[[nodiscard]] std::vector<OperationDescription> describe_lines();

}  // namespace tamis
