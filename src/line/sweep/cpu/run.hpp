// Sweeps over angles on the CPU.
#pragma once

#include "line/sweep/sweep.hpp"

namespace tamis::line_detail::cpu {

/// sweep() on the CPU.
[[nodiscard]] SweepResult sweep(const Context& context, const Image& image, const SweepTask& task, Stage& stage);

}  // namespace tamis::line_detail::cpu
