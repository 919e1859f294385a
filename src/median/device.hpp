// Which device a plan runs on where the context leaves it open, and by which engines on the CPU.
#pragma once

#include <vector>

#include <tamis/context.hpp>

#include "median/cpu/engines.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail {

struct Backend {
  Device device = Device::Cpu;   ///< Cpu or Cuda
  std::vector<cpu::Plan> engines;  ///< of the CPU, one a step; none where the GPU does the work
};

/// The GPU where the CPU would take longer than the GPU, the copies there and back and the start of CUDA together.
/// The engines are planned here and nowhere else: a network for a large window takes a while to write.
/// Throws ResourceError if the context asks for a GPU that cannot be used.
[[nodiscard]] Backend choose_backend(const Context& context, const MedianPlan& plan);

}  // namespace tamis::median_detail
