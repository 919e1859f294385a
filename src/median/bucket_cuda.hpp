// Ranks of large windows on the GPU: what a tile sees is sorted and shared out into 256 buckets, a histogram of buckets
// moves with the window, and the bucket of the rank is searched by coordinates.
#pragma once

#include <memory>

#include "median/device_runs.hpp"
#include "median/gpu_bucket_tile.hpp"
#include "median/gpu_step.hpp"

namespace tamis::median_detail {

/// Any window, rank and border, around NaN too; all types but Bool. Does the whole image where a frame is asked for.
/// Workspace: some 24 bytes for each sample that tiles see, of up to 2^25 at once or one tile.
/// Time for a result: its share of the sorting, samples at the window's edges along y, and half a bucket.
[[nodiscard]] std::unique_ptr<GpuWay> bucket_cuda(const cuda::Stream& stream, const GpuStep& step,
                                                  const DeviceRunList& runs, const GpuBucketTile& tile);

}  // namespace tamis::median_detail
