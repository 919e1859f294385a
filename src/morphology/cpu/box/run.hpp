// Boxes on the CPU: erosions and dilations by rectangles and cuboids, openings, and what is built from them.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "morphology/cpu/box/passes.hpp"
#include "morphology/cpu/tile/sample_lanes.hpp"
#include "morphology/plan/steps.hpp"
#include "morphology/tuning.hpp"

namespace tamis::morphology_detail::cpu {

/// As run() of morphology/cpu/run.hpp, for a plan's passes of boxes. Where there is NaN, returns true and what is in
/// `out` is of no use.
bool run_boxes(const Context& context, const std::vector<BoxPass>& passes, const Border& border, const Image& in,
               Combine combine, const Image& image, Image& out, Stage& stage, const CpuTuning& tuning);

}  // namespace tamis::morphology_detail::cpu
