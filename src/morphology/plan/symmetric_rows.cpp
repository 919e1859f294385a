#include "morphology/plan/symmetric_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tamis::morphology_detail {

int SymmetricRows::widest(int z) const {
  int most = none;
  for (int y = 0; y < height; ++y) most = std::max(most, at(z, y));
  return most;
}

SymmetricRows SymmetricRows::part(int first_z, int slices, int first_y, int rows) const {
  SymmetricRows result;
  result.low_z = low_z + first_z;
  result.low_y = low_y + first_y;
  result.depth = slices;
  result.height = rows;
  for (int z = first_z; z < first_z + slices; ++z) {
    for (int y = first_y; y < first_y + rows; ++y) result.radius.push_back(at(z, y));
  }
  return result;
}

std::optional<SymmetricRows> symmetric_rows(const OffsetSet& set) {
  constexpr std::int64_t widest = 2000, most_rows = 4000;
  const OffsetBox& box = set.box();
  SymmetricRows rows;
  rows.low_z = box.low.z;
  rows.low_y = box.low.y;
  const std::int64_t depth = box.high.z - box.low.z + 1;
  const std::int64_t height = box.high.y - box.low.y + 1;
  if (depth > most_rows || height > most_rows || depth * height > most_rows || box.high.x > widest) return {};
  rows.depth = static_cast<int>(depth);
  rows.height = static_cast<int>(height);
  rows.radius.assign(static_cast<std::size_t>(depth * height), SymmetricRows::none);
  for (const OffsetSet::Run& run : set.runs()) {
    if (run.length != -2 * run.start.x + 1) return {};
    int& radius = rows.radius[static_cast<std::size_t>((run.start.z - box.low.z) * height + run.start.y - box.low.y)];
    if (radius != SymmetricRows::none) return {};
    radius = static_cast<int>(-run.start.x);
  }
  return rows;
}

double cost(const SymmetricRows& rows) {
  constexpr double of_row = 0.2, of_step = 0.25;  // of a term of a program, measured on an H200
  double result = 0;
  for (int z = 0; z < rows.depth; ++z) result += of_row * rows.height + of_step * (rows.widest(z) + 1);
  return result;
}

std::optional<UnitSteps> unit_steps(const OffsetSet& set, Border::Kind border) {
  const std::optional<SymmetricRows> rows = symmetric_rows(set);
  if (!rows || rows->height % 2 == 0) return {};
  UnitSteps steps;
  steps.count = rows->height / 2;
  steps.volume = rows->depth > 1;
  const int reach_z = steps.volume ? steps.count : 0;
  if (steps.count == 0 || rows->low_y != -steps.count || rows->low_z != -reach_z || rows->depth != 2 * reach_z + 1) {
    return {};
  }
  const auto is = [&](bool box) {
    for (int z = 0; z < rows->depth; ++z) {
      for (int y = 0; y < rows->height; ++y) {
        const int away = std::abs(z - reach_z) + std::abs(y - steps.count);
        const int wanted = box ? steps.count : std::max(steps.count - away, SymmetricRows::none);
        if (rows->at(z, y) != wanted) return false;
      }
    }
    return true;
  };
  steps.box = is(true);
  if (!steps.box && !is(false)) return {};
  // One step sees at most one sample beyond the image, which is the nearest one wherever samples are shown. More steps
  // are exact as steps of a plan are (see merged there).
  const bool exact = border == Border::Kind::Neutral || border == Border::Kind::Constant ||
                     (steps.box && border == Border::Kind::Nearest);
  if (steps.count > 1 && !exact) return {};
  return steps;
}

namespace {

std::int64_t square_of(const Offset& offset) { return offset.z * offset.z + offset.y * offset.y + offset.x * offset.x; }

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
