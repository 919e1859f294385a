// Validation, and what each operation is made of.
#include "morphology/plan/filter.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>
#include <tamis/operations.hpp>
#include <tamis/operations/parse.hpp>

#include "core/border.hpp"
#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "morphology/element/catalogue.hpp"

namespace tamis::morphology_detail {
namespace {

/// Traced lines take one segment of whole samples, and know what lies beyond their ends only as nothing.
void validate_lines(const MorphologyOptions& options, std::string_view what) {
  const Border::Kind border = options.border.kind;
  if (options.lines == Lines::Invariant) {
    if (border != Border::Kind::Fit) return;
    throw InputError(fmt::format(
        "{}: border fit; wanted neutral, reflect, mirror, nearest, wrap, constant:V, or lines traced", what));
  }
  const std::optional<StructuringElement::Segment> segment = options.element.segment();
  if (!segment || segment->length != std::floor(segment->length)) {
    throw InputError(fmt::format("{} along traced lines: element {}; wanted line:L@A with a whole number L of samples",
                                 what, options.element.spec()));
  }
  if (border != Border::Kind::Neutral && border != Border::Kind::Fit) {
    throw InputError(
        fmt::format("{} along traced lines: border {}; wanted neutral or fit", what, to_string(options.border)));
  }
}

void validate(Type type, const MorphologyOptions& options, std::string_view what) {
  require_filter_type(type, what);
  door::require_known(options.nan, NanPolicy::Ignore, "nan");
  door::require_known(options.lines, Lines::Traced, "lines");
  validate_lines(options, what);
  require_value_of(options.border, type);
  require_in(iteration_counts, static_cast<double>(options.iterations), fmt::format("{}: iterations", what));
}

/// Halves of two runs at most.
struct Recipe {
  std::vector<Order> first;  ///< empty: there is one run
  std::vector<Order> second;
  Combine combine = Combine::Result;
};

Recipe recipe_of(Operation operation) {
  const std::vector<Order> erode{Order::Min};
  const std::vector<Order> dilate{Order::Max};
  const std::vector<Order> open{Order::Min, Order::Max};
  const std::vector<Order> close{Order::Max, Order::Min};
  switch (operation) {
    case Operation::Erode:
      return {{}, erode, Combine::Result};
    case Operation::Dilate:
      return {{}, dilate, Combine::Result};
    case Operation::Open:
      return {{}, open, Combine::Result};
    case Operation::Close:
      return {{}, close, Combine::Result};
    case Operation::Gradient:
      return {dilate, erode, Combine::OutputMinus};
    case Operation::InnerGradient:
      return {{}, erode, Combine::ImageMinus};
    case Operation::OuterGradient:
      return {{}, dilate, Combine::MinusImage};
    case Operation::TopHat:
      return {{}, open, Combine::ImageMinus};
    case Operation::BotHat:
      return {{}, close, Combine::MinusImage};
  }
  return {};
}

Plan plan_of(const Shape& shape, const MorphologyOptions& options, const std::vector<Order>& halves,
             const std::stop_token& cancel) {
  PlanRequest request;
  request.cancel = cancel;
  request.iterations = options.iterations;
  request.border = options.border;
  request.halves = halves;
  if (options.lines == Lines::Traced) {
    const StructuringElement::Segment segment = *options.element.segment();
    return make_traced_plan(request, static_cast<std::int64_t>(segment.length), segment.azimuth);
  }
  request.sets = options.element.sets(shape.rank);
  request.stop_if_cancelled();
  request.rank = rank_of(request.sets);
  request.shape = shape;
  return make_plan(request);
}

Offset reach_of(const Plan& plan) {
  // Traced lines begin at the image's sides: their places depend on the whole slice.
  if (is_traced(plan)) return {0, whole_axis, whole_axis};
  Offset reach;
  for (const Step& step : plan.steps) reach = reach + tamis::reach_of(step.set.box());
  return reach_under(plan.border, reach);
}

std::int64_t bytes_laid_out(const Plan& plan, Type type, const Shape& shape) {
  if (!is_laid_out(plan.border)) return 0;
  std::int64_t most = 0;
  for (const Step& step : plan.steps) most = std::max(most, tamis::bytes_laid_out(type, shape, step.set.box()));
  return most == 0 ? 0 : most + image_bytes(type, shape);
}

}  // namespace

Offset reach_of(const FilterPlan& plan) {
  const Offset second = reach_of(plan.second);
  if (!plan.first) return second;
  const Offset first = reach_of(*plan.first);
  return {std::max(first.z, second.z), std::max(first.y, second.y), std::max(first.x, second.x)};
}

std::int64_t bytes_laid_out(const FilterPlan& plan, Type type, const Shape& shape) {
  return std::max(plan.first ? bytes_laid_out(*plan.first, type, shape) : 0, bytes_laid_out(plan.second, type, shape));
}

Offset reach_of(const std::vector<FilterPlan>& plans) {
  Offset reach;
  for (const FilterPlan& plan : plans) reach = reach + reach_of(plan);
  return reach;
}

FilterPlan plan_filter(Operation operation, Type type, const Shape& shape, const MorphologyOptions& options,
                       const std::stop_token& cancel) {
  FilterPlan plan;
  plan.what = name(operation);
  plan.nan = options.nan;
  validate(type, options, plan.what);
  const Recipe recipe = recipe_of(operation);
  if (!recipe.first.empty()) plan.first = plan_of(shape, options, recipe.first, cancel);
  plan.second = plan_of(shape, options, recipe.second, cancel);
  plan.combine = recipe.combine;
  return plan;
}

FilterPlan plan_hitmiss(Type type, const Shape& shape, const HitMissOptions& options) {
  const MorphologyOptions hit{options.hit, options.border, 1, options.nan};
  // A dilation by the reflected element is the maximum of f(x+b).
  const MorphologyOptions miss{options.miss.reflected(), options.border, 1, options.nan};
  FilterPlan plan;
  plan.what = "hitmiss";
  plan.nan = options.nan;
  validate(type, hit, plan.what);
  plan.first = plan_of(shape, hit, {Order::Min}, {});
  plan.second = plan_of(shape, miss, {Order::Max}, {});
  plan.combine = Combine::OutputMinus;
  plan.clip = type == Type::I16 || type == Type::F32;  // other types have nothing below
  return plan;
}

std::vector<FilterPlan> plan_asf(Type type, const Shape& shape, const AsfOptions& options) {
  door::require_known(options.order, AsfOptions::Order::CloseOpen, "order");
  static_cast<void>(StructuringElement(options.element).sets(shape.rank));  // the largest: is it refused?
  const bool opens_first = options.order == AsfOptions::Order::OpenClose;
  std::vector<FilterPlan> plans;
  for (const std::string& element : element_family(options.element)) {
    const MorphologyOptions each{element, options.border, 1, options.nan};
    for (const bool first : {true, false}) {
      plans.push_back(plan_filter(first == opens_first ? Operation::Open : Operation::Close, type, shape, each));
      plans.back().what = "asf";
    }
  }
  return plans;
}

}  // namespace tamis::morphology_detail
