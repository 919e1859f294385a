// The description of convert.
#pragma once

#include <vector>

namespace tamis {

struct OperationDescription;

[[nodiscard]] std::vector<OperationDescription> describe_convert();

}  // namespace tamis
