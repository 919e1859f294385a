// What the CPU makes of a plan's passes.
#pragma once

#include <cstdint>
#include <vector>

#include "morphology/morphology_plan.hpp"
#include "morphology/morphology_tuning.hpp"

namespace tamis::morphology_detail {

struct CpuPass {
  int rank = 2;  ///< 2: slices are images of their own
  Pass steps;
};

/// The plan's passes; in volumes a large box is a run along z and a rectangle, and rectangles that follow each other
/// work slice by slice: halos in y and z at once would be most of what a tile holds. At least one, which may be empty.
[[nodiscard]] std::vector<CpuPass> cpu_passes(const Plan& plan, const CpuTuning& tuning);

}  // namespace tamis::morphology_detail
