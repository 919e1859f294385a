// The descriptions of erode, dilate, open, close, gradient, tophat, bothat, hitmiss, asf and reconstruct.
#pragma once

#include <vector>

namespace tamis {
struct OperationDescription;
}

namespace tamis::morphology_detail {

[[nodiscard]] std::vector<OperationDescription> describe_morphology();

}  // namespace tamis::morphology_detail
