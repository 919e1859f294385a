// Programs of the plan on the GPU, for elements that no other kernel takes.
#pragma once

#include "core/gpu/stream.hpp"
#include "morphology/gpu/box/run.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::gpu {

/// What run_program() takes, in terms computed for each sample.
[[nodiscard]] double cost_of_lines(const Program& program);

struct ProgramTask {
  Border border;
  int rank = 2;  ///< of the plan
  Type type = Type::U8;
  Shape shape;
  DeviceImage from, to;  ///< not the same
};
/// Queues a step, part by part, so that what lies between fits into the cache.
void run_program(const cuda::Stream& stream, const Step& step, const ProgramTask& task);

}  // namespace tamis::morphology_detail::gpu
