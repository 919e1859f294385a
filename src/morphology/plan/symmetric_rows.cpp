#include "morphology/plan/symmetric_rows.hpp"

#include <algorithm>

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

}  // namespace tamis::morphology_detail
