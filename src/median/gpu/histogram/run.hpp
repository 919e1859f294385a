// Ranks of U8 images on the GPU by histograms that move along y (Huang, Yang and Tang 1979), one a lane.
#pragma once

#include <memory>

#include "median/gpu/device_runs.hpp"
#include "median/gpu/step.hpp"

namespace tamis::median_detail::gpu {

/// Any window and any rank; the border is not Neutral. Workspace: a padded copy of the image.
/// Time: samples at the window's edges along y for each sample, and the distance between the results of two rows.
[[nodiscard]] cuda::DeviceStep histogram_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs);

}  // namespace tamis::median_detail::gpu
