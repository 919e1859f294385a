#include "median/cpu/engines.hpp"

#include <utility>

#include <fmt/format.h>

#include "median/cpu/histogram/run.hpp"
#include "median/cpu/network/run.hpp"

namespace tamis::median_detail::cpu {
namespace {

std::size_t index_of(std::int64_t key_bytes) { return key_bytes == 1 ? 0 : key_bytes == 2 ? 1 : 2; }

}  // namespace

Plan make_plan(const RankStep& step, Type type, std::int64_t nx) {
  Plan plan;
  if (type == Type::Bool) return plan;
  const CpuTuning& tuning = cpu_tuning;
  const std::size_t key = index_of(sample_bytes(type));
  plan.nanoseconds = tuning.bisection[key] + tuning.bisection_sample[key] * static_cast<double>(step.count);
  const auto offer = [&](Engine engine, double nanoseconds) {
    if (nanoseconds >= plan.nanoseconds) return;
    plan.engine = engine;
    plan.nanoseconds = nanoseconds;
  };
  if (histogram_can(step)) {
    const auto reach_z = static_cast<double>(step.window.box().high.z - step.window.box().low.z);
    offer(Engine::Histogram, tuning.histogram[key] + tuning.histogram_slice[key] * reach_z +
                                 tuning.histogram_sample[key] * static_cast<double>(step.count));
  }
  // Counting the changes takes a while for large windows.
  if (plan.nanoseconds > tuning.rank_set[key]) {
    Slides slides = slides_of(step);
    offer(Engine::RankSet, tuning.rank_set[key] + tuning.rank_set_change * static_cast<double>(slides.changes()));
    if (plan.engine == Engine::RankSet) plan.slides = std::move(slides);
  }
  // Writing a network takes a while for large windows.
  const double least = tuning.network_sample[key] * static_cast<double>(step.count);
  if (least < plan.nanoseconds && network_can(step)) {
    const NetworkRow row = network_row(nx, sample_bytes(type));
    NetworkProgram network = network_for(step, row);
    const double nanoseconds = tuning.network[key] * network.cost_per_result(row);
    if (nanoseconds < plan.nanoseconds) {
      plan.by_network = true;
      plan.network = std::move(network);
      plan.nanoseconds = nanoseconds;
    }
  }
  return plan;
}

std::string Plan::text(bool ranks_vary) const {
  const auto engine_text = [&] {
    switch (engine) {
      case Engine::Bisection:
        return "keys found bit by bit, by counting";
      case Engine::Histogram:
        return "sliding histograms";
      case Engine::RankSet:
        return "sliding sets of ranks";
    }
    return "";
  };
  if (!by_network) return engine_text();
  if (!ranks_vary) return "sorting networks";
  return fmt::format("sorting networks; where windows shrink {}", engine_text());
}

}  // namespace tamis::median_detail::cpu
