#include "morphology/nan_steps.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "core/cpu/parallel.hpp"
#include "core/operation/filter_image.hpp"
#include "morphology/cpu/run.hpp"

namespace tamis::morphology_detail {
namespace {

/// Bits of the samples that are NaN, or of those that are not.
Image nan_bits(const Context& context, const Image& image, bool wanted) {
  Image bits(Type::Bool, image.shape());
  parallel_for(context, image.shape().z, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < image.shape().y; ++y) {
      const auto* const row = image.row<float>(z, y);
      auto* const words = bits.row<std::uint64_t>(z, y);
      for (std::int64_t x = 0; x < image.shape().x; ++x) {
        words[x / 64] |= std::uint64_t{std::isnan(row[x]) == wanted} << (x % 64);
      }
    }
  });
  return bits;
}

/// Where a step sees a set bit. Outside there is none, but for a constant, which is a number like others.
Image seen(const Context& context, const Step& step, const Plan& plan, const Image& bits, bool outside, Stage& stage) {
  Plan spread{plan.rank, plan.border, {step}};
  spread.steps.front().order = Order::Max;
  if (plan.border.kind == Border::Kind::Constant) spread.border.value = outside ? 1 : 0;
  Image out(Type::Bool, bits.shape());
  cpu::run(context, spread, bits, Combine::Result, bits, out, stage);
  return out;
}

Image run_step(const Context& context, const Step& step, const Plan& plan, const Image& image, Stage& stage) {
  Image out = image_between(context, image);
  const Plan alone{plan.rank, plan.border, {step}};
  if (!cpu::run(context, alone, image, Combine::Result, image, out, stage)) return out;
  const Image nan = seen(context, step, plan, nan_bits(context, image, true), false, stage);
  const Image number = seen(context, step, plan, nan_bits(context, image, false), true, stage);
  parallel_for(context, image.shape().z, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < image.shape().y; ++y) {
      auto* const row = out.row<float>(z, y);
      for (std::int64_t x = 0; x < image.shape().x; ++x) {
        if (nan.bit(z, y, x) && !number.bit(z, y, x)) row[x] = std::numeric_limits<float>::quiet_NaN();
      }
    }
  });
  return out;
}

}  // namespace

Image run_around_nan(const Context& context, const Plan& plan, const Image& image, Stage& stage) {
  Image now;
  for (const Step& step : plan.steps) now = run_step(context, step, plan, now.empty() ? image : now, stage);
  if (now.empty()) return run_step(context, Step{}, plan, image, stage);  // no step: every sample sees itself
  return now;
}

}  // namespace tamis::morphology_detail
