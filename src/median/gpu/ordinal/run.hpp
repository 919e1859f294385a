// Ranks on the GPU for every type: in each tile samples become their ordinals among all that the tile sees, and a
// window that moves is a set of ordinals.
#pragma once

#include <memory>
#include <optional>

#include "median/gpu/device_runs.hpp"
#include "median/gpu/step.hpp"
#include "median/plan/ordinal_tile.hpp"

namespace tamis::median_detail::gpu {

/// Nothing where a row of 32 results sees more samples than shared memory can put in order, some 15,000 (squares of
/// about 110).
[[nodiscard]] std::optional<OrdinalTile> ordinal_tile(const cuda::Stream& stream, const Step& step,
                                                      const DeviceRunList& runs);
/// Any window, rank and border, around NaN too; all types but Bool.
/// Time: samples at the window's edges along y for each sample, and order of log(samples seen) for each sample seen.
[[nodiscard]] cuda::DeviceStep ordinal_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs,
                                            const OrdinalTile& tile);

}  // namespace tamis::median_detail::gpu
