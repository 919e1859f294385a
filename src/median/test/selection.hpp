// Quick selection, which engines are compared with where the definition would take too long.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "median/cpu/band.hpp"

namespace tamis::median_testing {

using namespace median_detail;

/// Quick selection.
template <class K>
void select_band(const cpu::BandTask<K>& work) {
  const RankStep& step = *work.step;
  std::vector<K> seen(static_cast<std::size_t>(step.count));
  for (std::int64_t z = work.band.z0; z < work.band.z1; ++z) {
    for (std::int64_t y = work.band.y0; y < work.band.y1; ++y) {
      const std::int32_t* const ranks = work.rank_row(z, y);
      for (std::int64_t x = work.x0; x < work.x1; ++x) {
        auto end = seen.begin();
        for (const OffsetSet::Run& run : step.window.runs()) {
          const K* const keys = work.in->row(z + run.start.z, y + run.start.y) + x + run.start.x;
          end = std::copy(keys, keys + run.length, end);
        }
        const auto wanted = seen.begin() + (ranks ? std::max(ranks[x], 0) : step.rank);
        std::nth_element(seen.begin(), wanted, end);
        work.out_row(z, y)[x] = *wanted;
      }
    }
  }
}

}  // namespace tamis::median_testing
