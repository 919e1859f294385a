#include "morphology/plan/unit_steps.hpp"

#include <algorithm>
#include <cstdlib>

#include "morphology/plan/symmetric_rows.hpp"

namespace tamis::morphology_detail {

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

}  // namespace tamis::morphology_detail
