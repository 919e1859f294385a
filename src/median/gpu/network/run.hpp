// Ranks in small squares and cubes on the GPU by networks in registers.
#pragma once

#include <memory>

#include "median/gpu/step.hpp"

namespace tamis::median_detail::gpu {

/// Any rank of squares of 2 ... 7 samples and of cubes of 3, medians of squares of 9 and of rows and columns of 3, 5
/// ... 15; all types but Bool. Null for everything else. The border is not Neutral. Of F32 it says whether there is
/// NaN, around which results are of no use.
[[nodiscard]] cuda::DeviceStep network_step(const cuda::Stream& stream, const Step& step);

}  // namespace tamis::median_detail::gpu
