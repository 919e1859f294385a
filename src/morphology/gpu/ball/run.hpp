// Erosion and dilation of bits of volumes by large balls: by the distance to the nearest voxel that decides, so that time
// does not grow with the radius.
#pragma once

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/gpu/filter.hpp"
#include "core/gpu/stream.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::gpu {

struct BallTask {
  Order order = Order::Min;
  Shape shape;
  std::int64_t square = 1;  ///< of the radius
};

/// Whether such a step goes by distance: a ball, bits of a volume, nothing beyond the border; and whether that is faster.
[[nodiscard]] bool goes_by_distance(const Step& step, Type type, int rank, const Border& border);
/// Images of bits that its distances take.
inline constexpr int images_by_distance = 20;

/// Makes the step, which allocates its distances, two bytes a voxel.
[[nodiscard]] cuda::DeviceStep by_distance(const cuda::Stream& stream, const BallTask& task);

}  // namespace tamis::morphology_detail::gpu
