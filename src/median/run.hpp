// What medians of images and of views have in common: the run of a plan.
#pragma once

#include <functional>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/median.hpp>

#include "median/cpu/engines.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail {

/// Whether an image has so many short rows that x and y are better exchanged, and windows that can be.
[[nodiscard]] bool turns(const Context& context, const MedianPlan& plan);
/// The same steps where x and y are exchanged.
[[nodiscard]] MedianPlan transposed(MedianPlan plan);

/// Whether bits that lie as bytes, run as such, stay 0 and 1.
[[nodiscard]] bool keeps_to_bits(const MedianPlan& plan);

/// Plans and runs. `plan` is called once the image is known to be one.
MedianFacts run(const Context& context, const char* what, const std::function<MedianPlan()>& plan, const Image& image,
                Image& out);

// Which device a plan runs on where the context leaves it open, and by which engines on the CPU.

struct Backend {
  Device device = Device::Cpu;     ///< Cpu or Cuda
  std::vector<cpu::Plan> engines;  ///< of the CPU, one a step; none where the GPU does the work
};

/// The GPU where the CPU would take longer than the GPU, the copies there and back and the start of CUDA together.
/// The engines are planned here and nowhere else: a network for a large window takes a while to write.
/// Throws ResourceError if the context asks for a GPU that cannot be used.
[[nodiscard]] Backend choose_backend(const Context& context, const MedianPlan& plan);

}  // namespace tamis::median_detail
