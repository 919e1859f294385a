// Which steps of a plan the CPU does at once, tile by tile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "morphology/plan/steps.hpp"
#include "morphology/tuning.hpp"

namespace tamis::morphology_detail::cpu {

/// The plan's steps, cut where those together reach farther than the tuning allows.
[[nodiscard]] std::vector<std::span<const Step>> fused_steps(const Plan& plan, const CpuTuning& tuning);

/// Steps from one image to another; what lies between them need not be stored whole.
struct Pass {
  int rank = 2;  ///< 2: slices are images of their own
  std::vector<Step> steps;
};

/// The plan's passes; in volumes a large box is a run along z and a rectangle, and rectangles that follow each other
/// work slice by slice: halos in y and z at once would be most of what a tile holds. At least one, which may be empty.
[[nodiscard]] std::vector<Pass> passes_of(const Plan& plan, const CpuTuning& tuning);

/// For people: one line for steps that are fused.
[[nodiscard]] std::string describe(const Plan& plan, const CpuTuning& tuning);

}  // namespace tamis::morphology_detail::cpu
