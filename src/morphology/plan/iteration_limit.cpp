#include "morphology/plan/steps.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "morphology/plan/program.hpp"

namespace tamis::morphology_detail {
namespace {

constexpr std::array all_axes{Axis::Z, Axis::Y, Axis::X};

std::int64_t extent(const Shape& shape, Axis axis) {
  return axis == Axis::Z ? shape.z : axis == Axis::Y ? shape.y : shape.x;
}
std::int64_t parts(std::int64_t n, std::int64_t part) { return (n + part - 1) / part; }

bool leads(const OffsetSet& set, Axis axis, int direction) {
  return direction < 0 ? along(set.box().low, axis) < 0 : along(set.box().high, axis) > 0;
}

/// How many offsets follow the origin along an axis, without a gap.
std::int64_t stride(const OffsetSet& set, Axis axis, int direction, std::int64_t most) {
  std::int64_t length = 0;
  Offset at;
  while (length < most) {
    along(at, axis) += direction;
    if (!set.contains(at)) break;
    ++length;
  }
  return length;
}

/// Along one axis: iterations until everything along it has been reached, 0 where the sets do not lead that way.
/// Nothing if that cannot be said: there is no unit step.
std::optional<std::int64_t> iterations_along(const PlanRequest& request, Axis axis) {
  const std::int64_t n = extent(request.shape, axis);
  std::int64_t least = n;
  int directions = 0;
  for (const int direction : {-1, 1}) {
    std::int64_t longest = 0;
    bool any = false;
    for (const OffsetSet& set : request.sets) {
      any = any || leads(set, axis, direction);
      longest = std::max(longest, stride(set, axis, direction, n));
    }
    if (!any) continue;
    if (longest == 0) return std::nullopt;
    least = std::min(least, longest);
    ++directions;
  }
  // What leads beyond a border that reflects comes back the other way.
  const Border::Kind border = request.border.kind;
  if (directions == 1 && (border == Border::Kind::Reflect || border == Border::Kind::Mirror)) return std::nullopt;
  return directions == 0 ? 0 : parts(n, least);
}

/// Sets that hold the origin: a sample sees ever more, and wherever the border lets a chain of offsets lead, one of
/// unit steps leads too. Without those the chain still has no need to come by a sample twice.
std::int64_t until_all_is_seen(const PlanRequest& request) {
  std::int64_t sum = 0;
  for (const Axis axis : all_axes) {
    const std::optional<std::int64_t> iterations = iterations_along(request, axis);
    if (!iterations) return request.shape.count() + 1;
    sum += *iterations;
  }
  return sum;
}

/// Sets that all in all lead away along an axis: nothing but what lies outside is seen in the end.
std::optional<std::int64_t> until_all_has_left(const PlanRequest& request) {
  if (request.border.kind != Border::Kind::Neutral && request.border.kind != Border::Kind::Constant) return {};
  std::optional<std::int64_t> least;
  for (const Axis axis : all_axes) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (const OffsetSet& set : request.sets) {
      low += along(set.box().low, axis);
      high += along(set.box().high, axis);
    }
    const std::int64_t each = std::max(low, -high);
    if (each > 0) least = std::min(least.value_or(request.iterations), parts(extent(request.shape, axis), each));
  }
  return least;
}

}  // namespace

std::int64_t useful_iterations(const PlanRequest& request) {
  const bool grows =
      std::all_of(request.sets.begin(), request.sets.end(), [](const OffsetSet& set) { return set.contains({}); });
  const std::int64_t most =
      grows ? until_all_is_seen(request) : until_all_has_left(request).value_or(request.iterations);
  return std::clamp<std::int64_t>(most, 1, request.iterations);
}

}  // namespace tamis::morphology_detail
