#include "morphology/plan/ball.hpp"

#include <algorithm>
#include <cmath>

namespace tamis::morphology_detail {
namespace {

std::int64_t square_of(const Offset& offset) {
  return offset.z * offset.z + offset.y * offset.y + offset.x * offset.x;
}

/// Offsets whose square is not above this.
std::int64_t count_within(std::int64_t square) {
  const auto root = [](std::int64_t value) {
    auto whole = static_cast<std::int64_t>(std::sqrt(static_cast<double>(value)));
    while (whole * whole > value) --whole;
    while ((whole + 1) * (whole + 1) <= value) ++whole;
    return whole;
  };
  std::int64_t count = 0;
  const std::int64_t radius = root(square);
  for (std::int64_t z = -radius; z <= radius; ++z) {
    const std::int64_t reach = root(square - z * z);
    for (std::int64_t y = -reach; y <= reach; ++y) count += 2 * root(square - z * z - y * y) + 1;
  }
  return count;
}

}  // namespace

std::optional<std::int64_t> square_of_ball(const OffsetSet& set) {
  constexpr std::int64_t most_radius = 10'000;
  const OffsetBox& box = set.box();
  if (box.high.x > most_radius || box.low != -box.high || box.high.y != box.high.x || box.high.z != box.high.x) {
    return std::nullopt;
  }
  std::int64_t square = 0;
  for (const OffsetSet::Run& run : set.runs()) {
    const Offset last = run.start + Offset{0, 0, run.length - 1};
    square = std::max({square, square_of(run.start), square_of(last)});
  }
  if (set.count() != count_within(square)) return std::nullopt;
  return square;
}

}  // namespace tamis::morphology_detail
