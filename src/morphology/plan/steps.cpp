#include "morphology/plan/steps.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/border.hpp"
#include "morphology/element/catalogue.hpp"

namespace tamis::morphology_detail {
namespace {

bool contains_origin(const OffsetSet& set) { return set.contains({}); }

bool is_city_block_ball(const OffsetSet& set) {
  const std::int64_t radius = set.box().high.x;
  constexpr std::int64_t worth_comparing = 200;
  if (radius < 1 || radius > worth_comparing) return false;
  return set.box().high.z > 0 ? set == octahedron_set(radius) : set == diamond_set(radius);
}

/// One set in place of two steps, where that is exact at borders too. In a box that holds the origin, or a city-block
/// ball, every way to a sample of the image can be split so that it never leaves the image. Outside, a constant is
/// constant after each step; the nearest sample has seen no more than what a box reaches; what `wrap` shows has seen
/// what it would see there; but what `reflect` and `mirror` show has seen samples on its other side, which is the same
/// only for a set that is its own reflection along each axis.
std::optional<OffsetSet> merged(const OffsetSet& first, const OffsetSet& then, Border::Kind border) {
  if (border == Border::Kind::Reflect) return std::nullopt;
  if (border == Border::Kind::Mirror && first.box().low != -first.box().high) return std::nullopt;
  if (first.is_box() && then.is_box() && contains_origin(first) && contains_origin(then)) {
    const OffsetBox& a = first.box();
    const OffsetBox& b = then.box();
    return OffsetSet(OffsetBox{a.low + b.low, a.high + b.high});
  }
  if (border == Border::Kind::Nearest || !is_city_block_ball(first) || !is_city_block_ball(then)) return std::nullopt;
  const std::int64_t radius = first.box().high.x + then.box().high.x;
  const bool solid = first.box().high.z > 0;
  if (solid != (then.box().high.z > 0)) return std::nullopt;
  return solid ? octahedron_set(radius) : diamond_set(radius);
}

/// The sets of one half in the order in which they act, as few as possible.
std::vector<OffsetSet> sets_of_half(const PlanRequest& request, Order order) {
  std::vector<OffsetSet> once = request.sets;
  if (order == Order::Max) {
    std::reverse(once.begin(), once.end());
    for (OffsetSet& set : once) {
      request.stop_if_cancelled();
      set = set.reflected();
    }
  }
  std::vector<OffsetSet> all;
  const std::int64_t iterations = useful_iterations(request);
  constexpr std::int64_t most_steps = 1'000'000;  // each is kept; at most 1000 sets, and iterations are limited too
  const std::int64_t steps = iterations * static_cast<std::int64_t>(once.size());
  if (steps > most_steps) {
    throw InputError(fmt::format("{} iterations of a sum of {} elements; wanted at most {} steps in all", iterations,
                                 once.size(), most_steps));
  }
  for (std::int64_t i = 0; i < iterations; ++i) {
    for (const OffsetSet& set : once) {
      if (set == OffsetSet()) continue;
      if (!all.empty()) {
        if (std::optional<OffsetSet> both = merged(all.back(), set, request.border.kind)) {
          all.back() = std::move(*both);
          continue;
        }
      }
      all.push_back(set);
    }
  }
  return all;
}

}  // namespace

int rank_of(const std::vector<OffsetSet>& sets) {
  const bool flat = std::all_of(sets.begin(), sets.end(),
                                [](const OffsetSet& set) { return set.box().low.z == 0 && set.box().high.z == 0; });
  return flat ? 2 : 3;
}

Plan make_plan(const PlanRequest& request) {
  Plan plan;
  plan.rank = request.rank;
  plan.border = request.border;
  for (std::size_t half = 0; half < request.halves.size(); ++half) {
    for (OffsetSet& any : sets_of_half(request, request.halves[half])) {
      request.stop_if_cancelled();
      OffsetSet set = fitted(std::move(any), request.shape, request.border.kind);
      request.stop_if_cancelled();
      if (set == OffsetSet()) continue;
      // Rows of the image are read and written in the direction in which they lie: first and last along x.
      const Step* const before = plan.steps.empty() ? nullptr : &plan.steps.back();
      const bool again = before && before->set == set && before->order == request.halves[half];
      Program program = again ? before->program : make_program(set, half > 0 || request.halves.size() == 1);
      plan.steps.push_back({request.halves[half], std::move(set), std::move(program)});
    }
  }
  return plan;
}

Plan make_traced_plan(const PlanRequest& request, std::int64_t length, double angle) {
  Plan plan;
  plan.rank = 2;
  // n times by L samples is once by n(L-1)+1: along a line there is no way around the border.
  line_detail::TracedSegment segment;
  segment.length = request.iterations * (length - 1) + 1;
  segment.origin = request.iterations * (length / 2);
  segment.angle = angle;
  segment.fit = request.border.kind == Border::Kind::Fit;
  for (const Order order : request.halves) {
    Step step;
    step.order = order;
    step.traced = segment;
    plan.steps.push_back(step);
    segment.fit = false;
  }
  return plan;
}

bool is_traced(const Plan& plan) { return !plan.steps.empty() && plan.steps.front().traced.has_value(); }

std::vector<TracedMove> traced_moves(const Plan& plan) {
  using line_detail::Along;
  const std::vector<Step>& steps = plan.steps;
  std::vector<TracedMove> moves;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool erode = steps[i].order == Order::Min;
    const bool pair = i + 1 < steps.size() && steps[i + 1].order != steps[i].order;
    const Along alone = erode ? Along::Erode : Along::Dilate;
    moves.push_back({pair ? erode ? Along::Open : Along::Close : alone, *steps[i].traced});
    if (pair) ++i;
  }
  return moves;
}

std::string describe(const Step& step) {
  const std::string how = step.traced ? fmt::format("traced lines, {} samples", step.traced->length)  //
                                      : describe(step.program);
  return fmt::format("{} ({})", step.order == Order::Min ? "erode" : "dilate", how);
}

}  // namespace tamis::morphology_detail
