// Erosion and dilation of bool volumes and images by the nearest neighbours: 4 or 8 in the plane, 6 or 26 in space.
#pragma once

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/gpu/stream.hpp"
#include "morphology/gpu/box/run.hpp"
#include "morphology/plan/unit_steps.hpp"

namespace tamis::morphology_detail::gpu {

struct UnitBitsTask {
  Order order = Order::Min;
  UnitSteps steps;
  Shape shape;
  DeviceImage from, to;  ///< packed bits, not the same
  Border border;
};
/// Queues it: reads and writes the image once a step.
void unit_bits_extremum(const cuda::Stream& stream, const UnitBitsTask& task);

}  // namespace tamis::morphology_detail::gpu
