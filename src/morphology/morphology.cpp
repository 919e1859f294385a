// Validation, what each operation is made of, and the choice of the backend.
#include <tamis/morphology.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/cpu/parallel.hpp"
#include "core/stage.hpp"
#include "morphology/morphology_cpu.hpp"
#ifdef TAMIS_CUDA
#include "morphology/morphology_cuda.hpp"
#endif
#include "morphology/morphology_plan.hpp"
#include "morphology/nan_steps.hpp"

namespace tamis {
namespace {

using namespace morphology_detail;

void validate_image(const Image& image, std::string_view what) {
  if (image.empty()) throw InputError(fmt::format("{} of a missing image; wanted one", what));
  switch (image.type()) {
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
      fmt::format("{} of a {} image; wanted bool, u8, u16, i16 or f32: convert it first", what, name(image.type())));
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

void validate(const Image& image, const MorphologyOptions& options, std::string_view what) {
  validate_image(image, what);
  validate_border(options.border, image.type());
  constexpr std::int64_t most_iterations = 1'000'000;
  if (options.iterations < 1 || options.iterations > most_iterations) {
    throw InputError(fmt::format("{}: iterations {}; wanted 1 to {}", what, options.iterations, most_iterations));
  }
}

/// What a Gradient is made of, and so on: halves of two runs at most, the first of which only fills the output.
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
  request.sets = options.element.sets(shape.rank);
  request.iterations = options.iterations;
  request.border = options.border;
  request.halves = halves;
  request.rank = rank_of(request.sets);
  request.shape = shape;
  return make_plan(request);
}

/// What `combine` does, for results that had to be made whole first.
void combine_images(const Context& context, Combine how, const Image& result, const Image& image, Image& out) {
  const auto rows = [&](auto sample, std::int64_t count) {
    using Sample = decltype(sample);
    parallel_for(context, out.shape().z, [&](std::int64_t z) {
      for (std::int64_t y = 0; y < out.shape().y; ++y) {
        combine(how, result.row<Sample>(z, y), image.row<Sample>(z, y), count, out.row<Sample>(z, y));
      }
    });
  };
  if (image.type() == Type::Bool) return rows(std::uint64_t{}, out.row_bytes() / 8);
  if (image.type() == Type::U8) return rows(std::uint8_t{}, out.shape().x);
  if (image.type() == Type::U16) return rows(std::uint16_t{}, out.shape().x);
  if (image.type() == Type::I16) return rows(std::int16_t{}, out.shape().x);
  rows(float{}, out.shape().x);
}

#ifdef TAMIS_CUDA
/// The plan on the GPU, what becomes of its result here. Returns whether there is NaN; then nothing became of it.
bool run_on_gpu(const Context& context, const Plan& plan, const Image& image, Combine how, Image& out) {
  if (how == Combine::Result) return run_cuda(context, plan, image, out);
  Image result(image.type(), image.shape());
  if (run_cuda(context, plan, image, result)) return true;
  combine_images(context, how, result, image, out);
  return false;
}
#endif

void run_plan(const Context& context, const Plan& plan, NanPolicy nan, const Image& image, Combine how, Image& out,
              std::string_view what) {
  Stage stage(context, std::string(what), stage_steps(plan, image));
  // Differences with what is in the output cannot be done twice: then NaN is looked for first.
  const bool twice = how == Combine::OutputMinus && image.type() == Type::F32;
  bool found = twice && !first_nan(image).empty();
#ifdef TAMIS_CUDA
  // Only where it is asked for: copies to the GPU and back take longer than most filters on the CPU.
  const bool on_gpu = context.device == Device::Cuda;
  if (on_gpu && !found) found = run_on_gpu(context, plan, image, how, out);
#else
  const bool on_gpu = false;  // require_device() has refused it
#endif
  if (!on_gpu && !found) found = run_cpu(context, plan, image, how, image, out, stage);
  if (!found) return;
  if (nan == NanPolicy::Refuse) {
    throw InputError(
        fmt::format("{}: the image holds NaN at {}; wanted numbers, or nan ignore", what, first_nan(image)));
  }
  combine_images(context, how, run_around_nan(context, plan, image, stage), image, out);
}

void prepare_output(const Image& image, Image& out) {
  if (&out == &image) throw InputError("the output is the input; wanted another image");
  if (out.empty() || out.type() != image.type() || !(out.shape() == image.shape())) {
    out = Image(image.type(), image.shape());
  }
  out.spacing = image.spacing;
}

}  // namespace

std::string to_string(const Border& border) {
  switch (border.kind) {
    case Border::Kind::Neutral:
      return "neutral";
    case Border::Kind::Reflect:
      return "reflect";
    case Border::Kind::Nearest:
      return "nearest";
    case Border::Kind::Constant:
      break;
  }
  return fmt::format("constant:{}", border.value);
}

std::string_view name(Operation operation) {
  switch (operation) {
    case Operation::Erode:
      return "erode";
    case Operation::Dilate:
      return "dilate";
    case Operation::Open:
      return "open";
    case Operation::Close:
      return "close";
    case Operation::Gradient:
      return "gradient";
    case Operation::InnerGradient:
      return "inner gradient";
    case Operation::OuterGradient:
      return "outer gradient";
    case Operation::TopHat:
      return "tophat";
    case Operation::BotHat:
      return "bothat";
  }
  return "";
}

void morphology(const Context& context, Operation operation, const Image& image, const MorphologyOptions& options,
                Image& out) {
  const std::string_view what = name(operation);
  require_device(context);
  validate(image, options, what);
  const Recipe recipe = recipe_of(operation);
  const Plan second = plan_of(image.shape(), options, recipe.second);
  prepare_output(image, out);
  if (!recipe.first.empty()) {
    const Plan first = plan_of(image.shape(), options, recipe.first);
    run_plan(context, first, options.nan, image, Combine::Result, out, what);
  }
  run_plan(context, second, options.nan, image, recipe.combine, out, what);
}

Image morphology(const Context& context, Operation operation, const Image& image, const MorphologyOptions& options) {
  Image out;
  morphology(context, operation, image, options, out);
  return out;
}

Image hitmiss(const Context& context, const Image& image, const HitMissOptions& options) {
  require_device(context);
  const MorphologyOptions hit{options.hit, options.border, 1, options.nan};
  // A dilation by the reflected element is the maximum of f(x+b).
  const MorphologyOptions miss{options.miss.reflected(), options.border, 1, options.nan};
  validate(image, hit, "hitmiss");
  const Plan above = plan_of(image.shape(), hit, {Order::Min});
  const Plan below = plan_of(image.shape(), miss, {Order::Max});
  Image out;
  prepare_output(image, out);
  run_plan(context, above, options.nan, image, Combine::Result, out, "hitmiss");
  run_plan(context, below, options.nan, image, Combine::OutputMinus, out, "hitmiss");
  const auto clip = [&](auto sample) {
    using Sample = decltype(sample);
    parallel_for(context, out.shape().z, [&](std::int64_t z) {
      for (std::int64_t y = 0; y < out.shape().y; ++y) {
        auto* const row = out.row<Sample>(z, y);
        for (std::int64_t x = 0; x < out.shape().x; ++x) row[x] = row[x] < 0 ? Sample{0} : row[x];
      }
    });
  };
  if (image.type() == Type::I16) clip(std::int16_t{});
  if (image.type() == Type::F32) clip(float{});
  return out;
}

std::string explain(Operation operation, const Shape& shape, const MorphologyOptions& options) {
  const Recipe recipe = recipe_of(operation);
  std::string text;
  if (!recipe.first.empty()) text += describe(plan_of(shape, options, recipe.first));
  return text + describe(plan_of(shape, options, recipe.second));
}

}  // namespace tamis
