#include "distance/plan.hpp"

#include <algorithm>

#include <tamis/memory.hpp>

#include "core/door.hpp"

namespace tamis::distance_detail {

Plan make_plan(const Image& object, const DistanceOptions& options) {
  const bool volume = object.shape().rank == 3 && !options.by_slices;
  return make_plan(object.shape(), whole_sides(object.spacing, volume ? 3 : 2), options);
}

Plan make_plan(const Shape& shape, const WholeSides& sides, const DistanceOptions& options) {
  door::require_known(options.border, DomainBorder::Neutral, "border");
  Plan plan;
  plan.shape = shape;
  plan.volume = shape.rank == 3 && !options.by_slices;
  plan.sides = sides;
  const bool background = options.border == DomainBorder::Background;
  const Faces& open = options.open;
  plan.x = {shape.x, plan.sides.x, background && !open.x_low, background && !open.x_high};
  plan.y = {shape.y, plan.sides.y, background && !open.y_low, background && !open.y_high};
  plan.z = {shape.z, plan.sides.z, background && !open.z_low, background && !open.z_high};
  return plan;
}

std::uint64_t largest_square(const Plan& plan) {
  constexpr std::uint64_t most = unreached<std::uint64_t>;
  std::uint64_t diagonal = 0;
  std::uint64_t least = most;
  bool bordered = false;
  const auto add = [&](const Axis& axis) {
    diagonal = std::min(most, diagonal + square_up_to(axis.count - 1, axis.side, most));
    if (!axis.low && !axis.high) return;
    bordered = true;
    const std::int64_t steps = axis.low && axis.high ? (axis.count + 1) / 2 : axis.count;
    least = std::min(least, square_up_to(steps, axis.side, most));
  };
  add(plan.x);
  add(plan.y);
  if (plan.volume) add(plan.z);
  return bordered ? least : diagonal;
}

std::int64_t lines_at_once(std::int64_t rows, std::int64_t lines) {
  constexpr std::int64_t cache = std::int64_t{256} << 10;
  return std::clamp<std::int64_t>(cache / ((rows + 2) * line_bytes), 1, lines);
}

std::int64_t bytes_needed(const Plan& plan, std::int64_t lane_bytes, int threads) {
  const std::int64_t longest = std::max({plan.x.count, plan.y.count, plan.z.count});
  const std::int64_t rows = 2 * (longest + 2) * line_bytes * lines_at_once(longest, longest);
  const Type type = lane_bytes == 2 ? Type::U16 : lane_bytes == 4 ? Type::U32 : Type::U64;
  return image_bytes(type, plan.shape) + threads * rows;
}

}  // namespace tamis::distance_detail
