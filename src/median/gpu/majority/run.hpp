// Ranks of packed bits on the GPU: of the bits that a window sees, how many are set.
#pragma once

#include <memory>

#include "median/gpu/device_runs.hpp"
#include "median/gpu/step.hpp"

namespace tamis::median_detail::gpu {

/// Any window, rank and border. Workspace: a padded copy; where windows shrink another one is kept.
/// Time: the runs of the window's edge along y for each sample, and a 32nd of their samples.
[[nodiscard]] cuda::DeviceStep majority_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs);

}  // namespace tamis::median_detail::gpu
