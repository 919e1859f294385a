// Programs of the plan on the GPU, for what is not a box.
#pragma once

#include "core/cuda/stream.hpp"
#include "morphology/box_cuda.hpp"
#include "morphology/morphology_plan.hpp"

namespace tamis::morphology_detail {

/// Queues a step from one image to another, part by part, so that what lies between fits into the cache.
void run_program(const cuda::Stream& stream, const Step& step, const Border& border, int rank, Type type,
                 const Shape& shape, const DeviceImage& from, const DeviceImage& to);

}  // namespace tamis::morphology_detail
