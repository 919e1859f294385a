// Ranks of U8 images on the GPU by histograms that move along y (Huang, Yang and Tang 1979), one a lane.
#pragma once

#include "median/device_runs.hpp"
#include "median/gpu_step.hpp"

namespace tamis::median_detail {

/// Queues it: any window and any rank; the border is not Neutral. Memory: a padded copy of the image.
/// Time: samples at the window's edges along y for each sample, and the distance between the results of two rows.
void histogram_cuda(const cuda::Stream& stream, const RankStep& step, const DeviceRunList& runs, const GpuStep& task);

}  // namespace tamis::median_detail
