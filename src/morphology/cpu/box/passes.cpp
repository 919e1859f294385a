#include "morphology/cpu/box/passes.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "morphology/cpu/box/kernels.hpp"
#include "morphology/cpu/passes.hpp"

namespace tamis::morphology_detail::cpu {
namespace {

BoxStep within_slices(const Step& step) {
  const OffsetBox& box = step.set.box();
  return {step.order, {box.low.y, box.high.y}, {box.low.x, box.high.x}};
}

BoxStep along_z(const Step& step) { return {step.order, {step.set.box().low.z, step.set.box().high.z}, {}}; }

/// Longer chains of steps that could not be merged keep more rows than the caches hold; tiles are made for them.
constexpr std::size_t most_steps = 4;

}  // namespace

std::optional<std::vector<BoxPass>> box_passes(const Plan& plan, Type type, const Shape& shape,
                                               const CpuTuning& tuning) {
  if (type == Type::Bool || shape.x * sample_bytes(type) < least_box_row_bytes) return std::nullopt;
  const std::size_t steps = plan.steps.size();
  if (steps == 0 || steps > most_steps) return std::nullopt;
  std::vector<BoxPass> passes;
  bool z_first = steps % 2 == 1;
  for (const std::span<const Step> pass : fused_steps(plan, tuning)) {
    if (plan.rank == 2) passes.emplace_back();
    for (const Step& step : pass) {
      if (!step.set.is_box()) return std::nullopt;
      if (plan.rank == 2) {
        passes.back().steps.push_back(within_slices(step));
        continue;
      }
      for (const bool z : {z_first, !z_first}) {
        if (passes.empty() || passes.back().along_z != z) passes.push_back({z, {}});
        passes.back().steps.push_back(z ? along_z(step) : within_slices(step));
      }
      z_first = !z_first;
    }
  }
  return passes;
}

}  // namespace tamis::morphology_detail::cpu
