// Ranks on the GPU for every type: in each tile samples become their ordinals among all that the tile sees, and a
// window that moves is a set of ordinals.
#pragma once

#include "median/device_runs.hpp"
#include "median/gpu_step.hpp"

namespace tamis::median_detail {

/// Whether windows are small enough: around a row of 32 results no more samples than shared memory can put in order,
/// some 15,000 (squares of about 110).
[[nodiscard]] bool ordinal_cuda_can(const cuda::Stream& stream, const RankStep& step, const DeviceRunList& runs,
                                    const GpuStep& task);
/// Queues it: any window, rank and border, around NaN too. All types but Bool.
/// Time: samples at the window's edges along y for each sample, and order of log(samples seen) for each sample seen.
void ordinal_cuda(const cuda::Stream& stream, const RankStep& step, const DeviceRunList& runs, const GpuStep& task);

}  // namespace tamis::median_detail
