// The description of porosimetry.
#pragma once

#include <vector>

namespace tamis {

struct OperationDescription;

[[nodiscard]] std::vector<OperationDescription> describe_porosimetry();

}  // namespace tamis
