// Boxes on the CPU: erosions and dilations by rectangles and cuboids, openings, and what is built from them.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "morphology/box_passes_cpu.hpp"
#include "morphology/morphology_plan.hpp"
#include "morphology/morphology_tuning.hpp"
#include "morphology/sample_lanes.hpp"

namespace tamis::morphology_detail {

/// As run_cpu (morphology_cpu.hpp), for a plan's passes of boxes. Where there is NaN, returns true and what is in `out`
/// is of no use.
bool run_boxes(const Context& context, const std::vector<BoxPass>& passes, const Border& border, const Image& in,
               Combine combine, const Image& image, Image& out, Stage& stage, const CpuTuning& tuning);

}  // namespace tamis::morphology_detail
