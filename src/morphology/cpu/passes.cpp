#include "morphology/cpu/passes.hpp"

#include <algorithm>
#include <utility>

namespace tamis::morphology_detail::cpu {
namespace {

/// Rows, or slices, that a step needs beside those it makes.
std::int64_t reach(const Step& step, int rank) {
  const OffsetBox& box = step.set.box();
  return rank == 3 ? box.high.z - box.low.z : box.high.y - box.low.y;
}

bool is_flat(const Step& step) { return step.set.box().low.z == 0 && step.set.box().high.z == 0; }

/// A box is separable under every border: along each axis it maps, or leaves out, what lies outside on its own.
void add_split(const Step& step, const CpuTuning& tuning, std::vector<Step>& steps) {
  const OffsetBox& box = step.set.box();
  const std::int64_t depth = box.high.z - box.low.z;
  const std::int64_t height = box.high.y - box.low.y;
  if (is_flat(step) || !step.set.is_box() || std::min(depth, height) < tuning.least_split_reach) {
    steps.push_back(step);
    return;
  }
  const OffsetSet along_z(OffsetBox{{box.low.z, 0, 0}, {box.high.z, 0, 0}});
  const OffsetSet flat(OffsetBox{{0, box.low.y, box.low.x}, {0, box.high.y, box.high.x}});
  // In an opening the rectangles of both halves become neighbours.
  const bool last = step.order == Order::Max;
  Step first{step.order, last ? flat : along_z, make_program(last ? flat : along_z, last)};
  Step second{step.order, last ? along_z : flat, make_program(last ? along_z : flat, last)};
  steps.push_back(std::move(first));
  steps.push_back(std::move(second));
}

}  // namespace

std::vector<std::span<const Step>> fused_steps(const Plan& plan, const CpuTuning& tuning) {
  const std::int64_t most = plan.rank == 3 ? tuning.fused_slices : tuning.fused_rows;
  const std::span<const Step> all = plan.steps;
  std::vector<std::span<const Step>> fused;
  std::size_t begin = 0;
  std::int64_t reached = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t more = reach(all[i], plan.rank);
    if (i > begin && reached + more > most) {
      fused.push_back(all.subspan(begin, i - begin));
      begin = i;
      reached = 0;
    }
    reached += more;
  }
  if (begin < all.size()) fused.push_back(all.subspan(begin));
  return fused;
}

std::vector<Pass> passes_of(const Plan& plan, const CpuTuning& tuning) {
  std::vector<Pass> passes;
  for (const std::span<const Step> pass : fused_steps(plan, tuning)) {
    if (plan.rank == 2) {
      passes.push_back({2, {pass.begin(), pass.end()}});
      continue;
    }
    std::vector<Step> steps;
    for (const Step& step : pass) add_split(step, tuning, steps);
    const bool whole = steps.size() == pass.size();
    bool open = false;
    for (Step& step : steps) {
      const int rank = is_flat(step) && !whole ? 2 : 3;
      if (!open || passes.back().rank != rank) passes.push_back({rank, {}});
      open = true;
      passes.back().steps.push_back(std::move(step));
    }
  }
  if (passes.empty()) passes.push_back({plan.rank, {}});
  return passes;
}

std::string describe(const Plan& plan, const CpuTuning& tuning) {
  if (plan.steps.empty()) return "copy\n";
  std::string text;
  for (const std::span<const Step> pass : fused_steps(plan, tuning)) {
    std::string steps;
    for (const Step& step : pass) steps += (steps.empty() ? "" : "; ") + describe(step);
    text += steps + "\n";
  }
  return text;
}

}  // namespace tamis::morphology_detail::cpu
