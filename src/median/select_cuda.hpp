// Ranks of windows of any size on the GPU, bit by bit from the highest: what is left where nothing faster can.
#pragma once

#include "median/device_runs.hpp"
#include "median/gpu_step.hpp"

namespace tamis::median_detail {

/// Queues it: any window, rank and border, around NaN too. All types but Bool. Nothing is stored.
/// Time: the window's samples times the type's bits for each sample.
void select_cuda(const cuda::Stream& stream, const RankStep& step, const DeviceRunList& runs, const GpuStep& task);

}  // namespace tamis::median_detail
