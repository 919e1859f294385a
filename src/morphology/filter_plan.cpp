// Validation, and what each operation is made of.
#include "morphology/filter_plan.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>

namespace tamis::morphology_detail {
namespace {

void validate_type(Type type, std::string_view what) {
  switch (type) {
    case Type::Bool:
    case Type::U8:
    case Type::U16:
    case Type::I16:
    case Type::F32:
      return;
    case Type::I8:
    case Type::U32:
    case Type::I32:
    case Type::U64:
    case Type::I64:
    case Type::F64:
      break;
  }
  throw InputError(
      fmt::format("{} of a {} image; wanted bool, u8, u16, i16 or f32: convert it first", what, name(type)));
}

void validate_border(const Border& border, Type type) {
  if (border.kind != Border::Kind::Constant) return;
  const auto whole = [&](double lowest, double highest) {
    return border.value >= lowest && border.value <= highest && border.value == std::floor(border.value);
  };
  const bool fits = type == Type::Bool  ? whole(0, 1)
                    : type == Type::U8  ? whole(0, 255)
                    : type == Type::U16 ? whole(0, 65535)
                    : type == Type::I16
                        ? whole(-32768, 32767)
                        : std::isinf(border.value) || std::abs(border.value) <= std::numeric_limits<float>::max();
  if (!fits) {
    throw InputError(
        fmt::format("border {} of a {} image; wanted a value that the type has", to_string(border), name(type)));
  }
}

/// Traced lines take one segment of whole samples, and know what lies beyond their ends only as nothing.
void validate_lines(const MorphologyOptions& options, std::string_view what) {
  const Border::Kind border = options.border.kind;
  if (options.lines == Lines::Invariant) {
    if (border != Border::Kind::Fit) return;
    throw InputError(fmt::format("{}: border fit; wanted neutral, reflect, nearest, constant:V, or lines traced", what));
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
  validate_type(type, what);
  validate_lines(options, what);
  validate_border(options.border, type);
  constexpr std::int64_t most_iterations = 1'000'000;
  if (options.iterations < 1 || options.iterations > most_iterations) {
    throw InputError(fmt::format("{}: iterations {}; wanted 1 to {}", what, options.iterations, most_iterations));
  }
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

Plan plan_of(const Shape& shape, const MorphologyOptions& options, const std::vector<Order>& halves) {
  PlanRequest request;
  request.iterations = options.iterations;
  request.border = options.border;
  request.halves = halves;
  if (options.lines == Lines::Traced) {
    const StructuringElement::Segment segment = *options.element.segment();
    return make_traced_plan(request, static_cast<std::int64_t>(segment.length), segment.azimuth);
  }
  request.sets = options.element.sets(shape.rank);
  request.rank = rank_of(request.sets);
  request.shape = shape;
  return make_plan(request);
}

}  // namespace

FilterPlan plan_filter(Operation operation, Type type, const Shape& shape, const MorphologyOptions& options) {
  FilterPlan plan;
  plan.what = name(operation);
  plan.nan = options.nan;
  validate(type, options, plan.what);
  const Recipe recipe = recipe_of(operation);
  if (!recipe.first.empty()) plan.first = plan_of(shape, options, recipe.first);
  plan.second = plan_of(shape, options, recipe.second);
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
  plan.first = plan_of(shape, hit, {Order::Min});
  plan.second = plan_of(shape, miss, {Order::Max});
  plan.combine = Combine::OutputMinus;
  plan.clip = type == Type::I16 || type == Type::F32;  // other types have nothing below
  return plan;
}

}  // namespace tamis::morphology_detail
