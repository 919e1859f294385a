// Ranks of packed bits on the GPU: of the bits that a window sees, how many are set.
#pragma once

#include "median/device_runs.hpp"
#include "median/gpu_step.hpp"

namespace tamis::median_detail {

/// Queues it: any window, rank and border. Memory: a padded copy, where windows shrink two.
/// Time: the runs of the window's edge along y for each sample, and a 32nd of their samples.
void majority_cuda(const cuda::Stream& stream, const RankStep& step, const DeviceRunList& runs, const GpuStep& task);

}  // namespace tamis::median_detail
