// Sweeps over angles on the CPU.
#pragma once

#include "line/sweep/sweep.hpp"

namespace tamis::line_detail {

/// sweep() on the CPU.
[[nodiscard]] SweepResult sweep_cpu(const Context& context, const Image& image, const SweepTask& task, Stage& stage);

}  // namespace tamis::line_detail
