// Ranks of large windows on the GPU: what a tile sees is sorted and shared out into 256 buckets, a histogram of buckets
// moves with the window, and the bucket of the rank is searched by coordinates.
#pragma once

#include <memory>

#include "median/gpu/device_runs.hpp"
#include "median/gpu/step.hpp"
#include "median/plan/bucket_tile.hpp"

namespace tamis::median_detail::gpu {

/// Any window, rank and border, around NaN too; all types but Bool. Does the whole image where a frame is asked for.
/// Workspace: some 24 bytes for each sample that tiles see, of up to 2^25 at once or one tile.
/// Time for a result: its share of the sorting, samples at the window's edges along y, and half a bucket.
[[nodiscard]] cuda::DeviceStep bucket_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs,
                                           const GpuBucketTile& tile);

}  // namespace tamis::median_detail::gpu
