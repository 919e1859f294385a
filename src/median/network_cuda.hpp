// Medians of small squares and cubes on the GPU by networks in registers.
#pragma once

#include "median/gpu_step.hpp"

namespace tamis::median_detail {

/// Medians of squares of 3, 5, 7 and 9 samples, of rows and columns of 3, 5 ... 15, and of cubes of 3. All types but
/// Bool.
[[nodiscard]] bool network_cuda_can(const RankStep& step, Type type);
/// Queues it; the border is not Neutral. Of F32 it says whether there is NaN, around which results are of no use.
void network_cuda(const cuda::Stream& stream, const RankStep& step, const GpuStep& task);

}  // namespace tamis::median_detail
