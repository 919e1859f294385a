#include "morphology/filter_run.hpp"

#include <algorithm>
#include <utility>

namespace tamis::morphology_detail {

FilterRun::FilterRun(const cuda::Stream& stream, FilterPlan plan, Type type, const Shape& shape, bool around_nan)
    : stream_(stream),
      plan_(std::move(plan)),
      type_(type),
      shape_(shape),
      around_nan_(around_nan && type == Type::F32),
      bytes_(DeviceStore::layout(type, shape).slice * shape.z),
      second_(half_of(plan_.second)) {
  if (plan_.first) {
    first_ = half_of(*plan_.first);
    before_ = DeviceStore(stream, type, shape);
  }
  const std::size_t most = std::max(first_.moves.size(), second_.moves.size());
  if (most > 1) other_ = DeviceStore(stream, type, shape);
  if (!around_nan_) return;
  parted_ = DeviceStore(stream, type, shape);
  inner_ = DeviceStore(stream, type, shape);
  for (DeviceStore& bits : bits_) bits = DeviceStore(stream, Type::Bool, shape);
  for (DeviceStore& bits : seen_bits_) bits = DeviceStore(stream, Type::Bool, shape);
  inner_bits_ = DeviceStore(stream, Type::Bool, shape);
}

/// Where a step sees a set bit. Outside there is none, but for a constant, which is a number like others.
Plan FilterRun::seen_by(const Step& step, const Plan& plan, bool outside) {
  Plan seen{plan.rank, plan.border, {{step}}};
  seen.passes[0][0].order = Order::Max;
  if (plan.border.kind == Border::Kind::Constant) seen.border.value = outside ? 1 : 0;
  return seen;
}

FilterRun::Half FilterRun::half_of(const Plan& plan) const {
  Half half;
  half.moves = moves_of(plan, type_, shape_);
  if (!around_nan_) return half;
  std::size_t count = 0;
  for (const Pass& pass : plan.passes) count += pass.size();
  half.steps.reserve(count);  // moves know where their steps are
  for (const Pass& pass : plan.passes) {
    for (const Step& step : pass) {
      NanStep& own = half.steps.emplace_back();
      own.order = step.order;
      own.moves = moves_of(step, plan.border, plan.rank, type_, shape_);
      own.spread_nan = seen_by(step, plan, false);
      own.spread_numbers = seen_by(step, plan, true);
      own.nan_moves = moves_of(own.spread_nan, Type::Bool, shape_);
      own.number_moves = moves_of(own.spread_numbers, Type::Bool, shape_);
    }
  }
  return half;
}

bool FilterRun::looks_for_nan() const {
  return type_ == Type::F32 && !around_nan_ && look_for_nan((plan_.first ? first_ : second_).moves);
}

void FilterRun::run(const DeviceImage& image, const DeviceImage& out, unsigned* nan) const {
  if (plan_.first) run_half(first_, image, before_.get(), nan);
  run_half(second_, image, out, plan_.first ? nullptr : nan);
  const auto subtract = [&](const DeviceImage& a, const DeviceImage& b) {
    subtract_images(stream_, type_, a.data, b.data, plan_.clip, bytes_, out.data);
  };
  switch (plan_.combine) {
    case Combine::Result:
      break;
    case Combine::ImageMinus:
      subtract(image, out);
      break;
    case Combine::MinusImage:
      subtract(out, image);
      break;
    case Combine::OutputMinus:
      subtract(before_.get(), out);
      break;
  }
}

void FilterRun::run_half(const Half& half, const DeviceImage& image, const DeviceImage& out, unsigned* nan) const {
  if (around_nan_) return run_around_nan(half, image, out);
  run_moves(stream_, half.moves, image, out, other_.get(), bytes_, nan);
}

void FilterRun::run_around_nan(const Half& half, const DeviceImage& image, const DeviceImage& out) const {
  if (half.steps.empty()) {  // every sample sees itself
    part_nan(stream_, image, shape_, Order::Min, {out, bits_[0].get(), bits_[1].get()});
    put_nan(stream_, bits_[0].get(), bits_[1].get(), shape_, out);
    return;
  }
  DeviceImage now = image;
  for (std::size_t i = 0; i < half.steps.size(); ++i) {
    const DeviceImage& next = (half.steps.size() - i) % 2 == 1 ? out : other_.get();
    run_nan_step(half.steps[i], now, next);
    now = next;
  }
}

void FilterRun::run_nan_step(const NanStep& step, const DeviceImage& from, const DeviceImage& to) const {
  part_nan(stream_, from, shape_, step.order, {parted_.get(), bits_[0].get(), bits_[1].get()});
  run_moves(stream_, step.moves, parted_.get(), to, inner_.get(), bytes_);
  const DeviceImage& between = inner_bits_.get();
  run_moves(stream_, step.nan_moves, bits_[0].get(), seen_bits_[0].get(), between, 0);
  run_moves(stream_, step.number_moves, bits_[1].get(), seen_bits_[1].get(), between, 0);
  put_nan(stream_, seen_bits_[0].get(), seen_bits_[1].get(), shape_, to);
}

}  // namespace tamis::morphology_detail
